package account

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/fault"
)

// signInPage is the sign-in page.
type signInPage struct {
	pagekit.FormErrors
	SignedOut bool
	Unsaved   bool   // a form came after the end of its session
	Ended     string // why the browser's session has ended; "" for no text
	Username  string // as typed
	Passkey   bool   // one was tried and refused
	Passkeys  bool   // the host has a name, as passkeys need
}

// signInForm shows the sign-in page, unless there is a session already.
func (s *Section) signInForm(r *pagekit.Request) error {
	if r.SignedIn {
		return s.RedirectOnward(r)
	}
	ended, err := s.endedReason(r)
	if err != nil {
		return err
	}
	return s.showSignIn(r, http.StatusOK, signInPage{SignedOut: r.Form.Has("signed-out"), Unsaved: r.Form.Has("unsaved"), Ended: ended})
}

// AskSignIn shows the sign-in page in answer to a form, which the page carries.
func (s *Section) AskSignIn(r *pagekit.Request) error {
	ended, err := s.endedReason(r)
	if err != nil {
		return err
	}
	return s.showSignIn(r, http.StatusForbidden, signInPage{Ended: ended})
}

// endedReason returns why the browser's session has ended, once. A browser without the
// session's token gets "".
func (s *Section) endedReason(r *pagekit.Request) (why string, err error) {
	token := r.CookieValue(s.SessionCookie(r, ""))
	if token == "" {
		return "", nil
	}
	ending, err := s.Auth.Sessions.Ended(r.Context(), r.Tenant, token)
	if err != nil || endingTexts[ending] == "" {
		return "", err
	}
	r.SetCookie(s.SessionCookie(r, ""))
	return endingTexts[ending], nil
}

// endingTexts are the texts about an ended session.
var endingTexts = map[signin.Ending]string{
	signin.Idle:        "You have been signed out because you had not used these pages for some time.",
	signin.Deactivated: "You have been signed out because your account at the practice has been deactivated. If you think that this is a mistake, ask your manager.",
}

// showSignIn shows the sign-in page, which is the same for every practice and every
// application, whether they exist or not (D25).
func (s *Section) showSignIn(r *pagekit.Request, status int, page signInPage) error {
	_, page.Passkeys = s.passkeySite(r)
	s.Show(r, pagekit.View{Template: templates["sign_in"], Status: status, Title: page.PageTitle("Sign in"), Content: page, Script: pagekit.Passkeys})
	return nil
}

// passkeySite is the address of the pages as passkeys see it. A passkey belongs to a host
// name, so an IP address has none.
func (s *Section) passkeySite(r *pagekit.Request) (site signin.Site, ok bool) {
	at := s.URL
	if at == nil {
		at = &url.URL{Scheme: "http", Host: r.HTTP.Host}
	}
	site = signin.Site{RP: at.Hostname(), Origin: at.Scheme + "://" + at.Host}
	return site, site.Named()
}

// signIn begins a session, in place of any old one, or the step that asks for a passkey.
func (s *Section) signIn(r *pagekit.Request) error {
	page := signInPage{Username: r.Form.Get("username")}
	password := r.Form.Get("password")
	if page.Faults = missingFields(page.Username, password); len(page.Faults) > 0 {
		return s.showSignIn(r, http.StatusBadRequest, page)
	}
	try := s.newTry(r, page.Username, password)
	r.Release() // sign-ins have a queue of their own
	in, err := s.Auth.SignIn(r.AnonymousContext(), try)
	s.recordSignIn(r, in, err)
	if refusal, ok := refusalOf(err); ok {
		return s.showRefusal(r, page, refusal)
	}
	if err != nil {
		return err
	}
	return s.finishSignIn(r, in)
}

func missingFields(username, password string) (faults []pagekit.FieldFault) {
	if username == "" {
		faults = append(faults, pagekit.FieldFault{Field: "username", Text: "Enter your username"})
	}
	if password == "" {
		faults = append(faults, pagekit.FieldFault{Field: "password", Text: "Enter your password"})
	}
	return faults
}

// newTry is an attempt to sign in with this browser.
func (s *Section) newTry(r *pagekit.Request, username, password string) signin.Try {
	return signin.Try{
		Account: signin.Account{Tenant: r.Tenant, Username: username}, Password: password,
		Source: r.Source, Browser: browserOf(r.HTTP.UserAgent()), Device: r.CookieValue(s.DeviceCookie(r, "")),
	}
}

// refusalOf returns the error of a sign-in if it is [signin.ErrRefused] or
// [signin.ErrPasskey], which may contain the time to wait.
func refusalOf(err error) (refusal *fault.Error, ok bool) {
	if !errors.Is(err, signin.ErrRefused) && !errors.Is(err, signin.ErrPasskey) {
		return nil, false
	}
	return errors.AsType[*fault.Error](err)
}

// showRefusal shows the same text whatever the reason for the refusal, and how long to
// wait.
func (s *Section) showRefusal(r *pagekit.Request, page signInPage, refusal *fault.Error) error {
	field := "username"
	if page.Passkey {
		field = "passkey"
	}
	status, text := s.refusalText(r, refusal, refusal.Detail)
	page.Faults = pagekit.FormError(field, text).Faults
	return s.showSignIn(r, status, page)
}

// refusalText is the status and the text of a refusal, with the time to wait.
func (s *Section) refusalText(r *pagekit.Request, refusal *fault.Error, text string) (int, string) {
	wait := refusal.RetryAt.Sub(s.RealNow())
	if refusal.RetryAt.IsZero() || wait <= 0 {
		return http.StatusBadRequest, text
	}
	r.Header().Set("Retry-After", pagekit.Seconds(wait))
	return http.StatusTooManyRequests, text + " You have tried too often: you can try again in " + pagekit.Span(pagekit.RoundUp(wait)) + "."
}

// recordSignIn logs the attempt, so that an attack is visible. It never logs the
// username, because people type passwords there.
func (s *Section) recordSignIn(r *pagekit.Request, in signin.SignedIn, err error) {
	refusal, refused := refusalOf(err)
	outcome := "signed-in"
	switch {
	case refused && refusal.RetryAt.IsZero():
		outcome = "refused"
	case refused:
		outcome = "locked"
	case errors.Is(err, signin.ErrBusy):
		outcome = "busy"
	case err != nil:
		return // the error page logs it
	case in.Step != "":
		outcome = "passkey-asked"
	}
	s.Metrics.SignedIn(outcome)
	s.Log.InfoContext(r.Context(), "sign-in", slog.String("request_id", r.ID), slog.String("tenant", r.Tenant),
		slog.String("outcome", outcome), slog.String("staff", in.Staff.String()),
		slog.String("source", r.Source))
}

// finishSignIn sets the cookies of the new session, and shows the carried form, or
// redirects to the page that the browser first asked for. After a password, a passkey may
// be asked for before that.
func (s *Section) finishSignIn(r *pagekit.Request, in signin.SignedIn) error {
	if in.Step == "" {
		if err := s.setSessionCookies(r, in); err != nil {
			return err
		}
		if shown, err := s.ShowCarried(r, in.Session, pagekit.SignedOutMeanwhile); shown || err != nil {
			return err
		}
		return s.RedirectOnward(r)
	}
	r.SetCookie(s.StepCookie(r, in.Step))
	if r.Carried.Typed != "" {
		return s.showSecond(r, http.StatusOK, "")
	}
	return r.Redirect(r.Base() + "/sign-in/second" + r.Ask.Query())
}

// beginSession signs in a member who has just chosen a password, and signs out any other in
// this browser.
func (s *Section) beginSession(r *pagekit.Request, try signin.Try, chosen signin.Holder) error {
	in, err := s.Auth.BeginSession(r.AnonymousContext(), try, chosen)
	if err != nil {
		return err
	}
	return s.setSessionCookies(r, in)
}

// setSessionCookies sets the cookies of a new session, in place of any old one.
func (s *Section) setSessionCookies(r *pagekit.Request, in signin.SignedIn) error {
	if err := s.endSession(r); err != nil {
		return err
	}
	r.SetCookie(s.SessionCookie(r, in.Session))
	r.SetCookie(s.DeviceCookie(r, in.Device))
	return nil
}

// signOut ends the session for every browser that has its token, and redirects to the
// original target. The device stays known.
func (s *Section) signOut(r *pagekit.Request) error {
	if r.SignedIn && !r.HasToken("sign-out") {
		return pagekit.ErrStale
	}
	if err := s.endSession(r); err != nil {
		return err
	}
	r.SetCookie(s.SessionCookie(r, ""))
	r.Header().Set("Clear-Site-Data", `"cache"`) // no page comes back by the Back button
	if r.Ask.Made {
		return r.RedirectToSignIn()
	}
	return r.Redirect(r.Base() + "/sign-in?signed-out")
}

// endSession ends the browser's session, if there is one.
func (s *Section) endSession(r *pagekit.Request) error {
	if !r.SignedIn {
		return nil
	}
	return s.Auth.SignOut(r.StaffContext(), r.Tenant, r.Session)
}

// productName is a word of a User-Agent, and its usual name.
type productName struct{ word, name string }

// browsers and systems are in order of precedence, because most browsers also claim to
// be others.
var (
	browsers = []productName{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"Chrome/", "Chrome"}, {"CriOS/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = []productName{
		{"iPhone", "an iPhone"}, {"iPad", "an iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"CrOS", "ChromeOS"},
		{"Macintosh", "a Mac"}, {"Linux", "Linux"},
	}
)

// browserOf describes the browser in plain words, such as "Firefox on Windows". It
// copies nothing from the header, because browsers may send anything.
func browserOf(userAgent string) string {
	browser, system := findProduct(browsers, userAgent), findProduct(systems, userAgent)
	if browser == "" {
		browser = "A browser"
	}
	if system == "" {
		return browser
	}
	return browser + " on " + system
}

func findProduct(among []productName, userAgent string) string {
	for _, k := range among {
		if strings.Contains(userAgent, k.word) {
			return k.name
		}
	}
	return ""
}
