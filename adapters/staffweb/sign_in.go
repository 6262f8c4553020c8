package staffweb

import (
	"errors"
	"log/slog"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/fault"
)

// signInPage is the sign-in page.
type signInPage struct {
	pagekit.Faulty
	SignedOut bool
	Ended     string // why the browser's session has ended; "" for no text
	Username  string // as typed
	Passkey   bool   // one was tried and refused
	Passkeys  bool   // the host has a name, as passkeys need
}

// signInForm shows the sign-in page, unless there is a session already.
func (p *Pages) signInForm(v *pagekit.Visit) error {
	if v.SignedIn {
		return p.onward(v)
	}
	ended, err := p.endedReason(v)
	if err != nil {
		return err
	}
	return p.showSignIn(v, http.StatusOK, signInPage{SignedOut: v.Form.Has("signed-out"), Ended: ended})
}

// endedReason returns why the browser's session has ended, once. A browser without the
// session's token gets "".
func (p *Pages) endedReason(v *pagekit.Visit) (why string, err error) {
	token := v.Shown(p.SessionCookie(v, ""))
	if token == "" {
		return "", nil
	}
	ending, err := p.Door.Sessions.Ended(v.Context(), v.Tenant, token)
	if err != nil || endings[ending] == "" {
		return "", err
	}
	v.SetCookie(p.SessionCookie(v, ""))
	return endings[ending], nil
}

// endings are the texts about an ended session.
var endings = map[signin.Ending]string{
	signin.Idle:        "You have been signed out because you had not used these pages for some time.",
	signin.Deactivated: "You have been signed out because your account at the practice has been deactivated. If you think that this is a mistake, ask your manager.",
}

// showSignIn shows the sign-in page, which is the same for every practice and every
// application, whether they exist or not (D25).
func (p *Pages) showSignIn(v *pagekit.Visit, status int, page signInPage) error {
	_, page.Passkeys = p.site(v)
	p.Show(v, pagekit.View{Template: templates["sign_in"], Status: status, Title: page.Titled("Sign in"), Content: page, Script: pagekit.Passkeys})
	return nil
}

// onward redirects to the page that the browser first asked for.
func (p *Pages) onward(v *pagekit.Visit) error {
	if !v.Ask.Made {
		return v.GoTo(v.Base()) // home, which knows their roles
	}
	return v.GoTo(v.Base() + "/authorise" + v.Ask.Query())
}

// signIn begins a session, in place of any old one, or continues with the page that
// asks for a passkey.
func (p *Pages) signIn(v *pagekit.Visit) error {
	page := signInPage{Username: v.Form.Get("username")}
	password := v.Form.Get("password")
	if page.Faults = missing(page.Username, password); len(page.Faults) > 0 {
		return p.showSignIn(v, http.StatusBadRequest, page)
	}
	v.Leave() // which has a queue of its own
	in, err := p.Door.SignIn(v.AsStranger(), p.tryOf(v, page.Username, password))
	p.noteSignIn(v, in, err)
	if refusal, ok := refusalOf(err); ok {
		return p.turnAway(v, page, refusal)
	}
	if err != nil {
		return err
	}
	if in.Step != "" {
		v.SetCookie(p.stepCookie(v, in.Step))
		return v.GoTo(v.Base() + "/sign-in/second" + v.Ask.Query())
	}
	return p.letIn(v, in)
}

// letIn sets the session's cookies, and redirects to the page that the browser first
// asked for.
func (p *Pages) letIn(v *pagekit.Visit, in signin.SignedIn) error {
	if err := p.give(v, in); err != nil {
		return err
	}
	return p.onward(v)
}

func missing(username, password string) (faults []pagekit.FieldFault) {
	if username == "" {
		faults = append(faults, pagekit.FieldFault{Field: "username", Text: "Enter your username"})
	}
	if password == "" {
		faults = append(faults, pagekit.FieldFault{Field: "password", Text: "Enter your password"})
	}
	return faults
}

// refusalOf returns the error of a sign-in if it is [signin.ErrRefused] or
// [signin.ErrPasskey], which may contain the time to wait.
func refusalOf(err error) (refusal *fault.Error, ok bool) {
	if !errors.Is(err, signin.ErrRefused) && !errors.Is(err, signin.ErrPasskey) {
		return nil, false
	}
	return errors.AsType[*fault.Error](err)
}

// turnAway shows the same text whatever the reason for the refusal, and how long to
// wait.
func (p *Pages) turnAway(v *pagekit.Visit, page signInPage, refusal *fault.Error) error {
	field := "username"
	if page.Passkey {
		field = "passkey"
	}
	status, text := p.refused(v, refusal, refusal.Detail)
	page.Faults = pagekit.Wrong(field, text).Faults
	return p.showSignIn(v, status, page)
}

// refused is the status and the text of a refusal, with the time to wait.
func (p *Pages) refused(v *pagekit.Visit, refusal *fault.Error, text string) (int, string) {
	wait := refusal.RetryAt.Sub(p.RealNow())
	if refusal.RetryAt.IsZero() || wait <= 0 {
		return http.StatusBadRequest, text
	}
	v.Header().Set("Retry-After", pagekit.Seconds(wait))
	return http.StatusTooManyRequests, text + " You have tried too often: you can try again in " + pagekit.Span(pagekit.RoundUp(wait)) + "."
}

// noteSignIn logs the attempt, so that an attack is visible. It never logs the
// username, because people type passwords there.
func (p *Pages) noteSignIn(v *pagekit.Visit, in signin.SignedIn, err error) {
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
		return // apologise logs it
	case in.Step != "":
		outcome = "passkey-asked"
	}
	p.Metrics.SignedIn(outcome)
	p.Log.InfoContext(v.Context(), "sign-in", slog.String("request_id", v.ID), slog.String("tenant", v.Tenant),
		slog.String("outcome", outcome), slog.String("staff", in.Staff.String()),
		slog.String("source", v.Source))
}

// signOut ends the session for every browser that has its token, and redirects to the
// original target. The device stays known.
func (p *Pages) signOut(v *pagekit.Visit) error {
	if v.SignedIn && !v.Owns("sign-out") {
		return pagekit.ErrStale
	}
	if err := p.endSession(v); err != nil {
		return err
	}
	v.SetCookie(p.SessionCookie(v, ""))
	if v.Ask.Made {
		return v.SignInFirst()
	}
	return v.GoTo(v.Base() + "/sign-in?signed-out")
}

// endSession ends the browser's session, if there is one.
func (p *Pages) endSession(v *pagekit.Visit) error {
	if !v.SignedIn {
		return nil
	}
	return p.Door.SignOut(v.AsStaff(), v.Tenant, v.Session)
}
