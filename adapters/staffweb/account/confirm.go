package account

import (
	"errors"
	"net/http"
	"regexp"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/signin"
)

// confirmPage is the page of reauthentication.
type confirmPage struct {
	Passkey bool          // they have one, so a password does not suffice
	Here    bool          // the host has a name, as passkeys need
	Then    string        // the page to continue to
	Typed   pagekit.Field // the password
	Token   string
	pagekit.FormErrors
}

// ownPage matches the pages that a browser may be redirected to: below those of the
// practice, with at most one parameter, which is an identifier.
var ownPage = regexp.MustCompile(`^[a-z]+(/[a-z0-9-]+)*(\?[a-z]+(=[0-9a-f-]{36})?)?$`)

// isOwnPage reports whether a browser may be redirected to the page.
func isOwnPage(then string) bool { return ownPage.MatchString(then) }

// confirmForm asks for reauthentication.
func (s *Section) confirmForm(r *pagekit.Request) error {
	return s.showConfirm(r, http.StatusOK, r.Form.Get("then"), pagekit.FormErrors{})
}

// AskConfirm asks for reauthentication in answer to a form, which the page carries.
func (s *Section) AskConfirm(r *pagekit.Request, then string) error {
	return s.showConfirm(r, http.StatusForbidden, then, pagekit.FormErrors{})
}

func (s *Section) showConfirm(r *pagekit.Request, status int, then string, wrong pagekit.FormErrors) error {
	if !isOwnPage(then) {
		return pagekit.ErrUnreadable
	}
	passkeys, err := s.Auth.Passkeys.List(r.Context(), r.Tenant, r.Session.Staff)
	if err != nil {
		return err
	}
	page := confirmPage{
		Passkey: len(passkeys) > 0, Then: then, Token: r.Session.FormToken(string(signin.ToConfirm)), FormErrors: wrong,
		Typed: wrong.Password("password", "Your password", "", "current-password"),
	}
	_, page.Here = s.passkeySite(r)
	shown := pagekit.View{Template: templates["confirm"], Status: status, Title: page.PageTitle("Confirm that it is you"), Content: page}
	if page.Passkey {
		shown.Script = pagekit.Passkeys
	}
	s.Show(r, shown)
	return nil
}

// confirm checks the password or the passkey, and sends the browser back.
func (s *Section) confirm(r *pagekit.Request) error {
	if !r.HasToken(string(signin.ToConfirm)) {
		return pagekit.ErrStale
	}
	if !isOwnPage(r.Form.Get("then")) {
		return pagekit.ErrUnreadable
	}
	session, err := s.verify(r)
	if refusal, ok := refusalOf(err); ok {
		field, text := "password", "Incorrect password."
		if r.Form.Has("signed") {
			field, text = "passkey", refusal.Detail
		}
		status, text := s.refusalText(r, refusal, text)
		return s.showConfirm(r, status, r.Form.Get("then"), pagekit.FormError(field, text))
	}
	if errors.Is(err, signin.ErrRenewed) {
		return pagekit.ErrStale
	}
	if err != nil {
		return err
	}
	if shown, err := s.ShowCarried(r, session, pagekit.ConfirmedMeanwhile); shown || err != nil {
		return err
	}
	if r.Ask.Made {
		return r.Redirect(r.Base() + "/authorise" + r.Ask.Query())
	}
	return r.Redirect(r.Base() + "/" + r.Form.Get("then"))
}

// verify checks the passkey's signature in the form, or else the password, and gives the
// browser the session's new token. The error is a refusal if it is wrong.
func (s *Section) verify(r *pagekit.Request) (session string, err error) {
	if r.Form.Has("signed") {
		ask := signin.Ask{Purpose: signin.ToConfirm, Member: r.Session.Staff, Binding: r.Session.Token}
		token, err := s.Auth.ConfirmByPasskey(r.AnonymousContext(), s.passkeyResponse(r, ask), r.Session)
		if err != nil {
			return "", err
		}
		r.SetCookie(s.SessionCookie(r, token))
		return token, nil
	}
	r.Release() // sign-ins have a queue of their own
	in, err := s.Auth.Confirm(r.AnonymousContext(), s.newTry(r, r.Session.Username, r.Form.Get("password")), r.Session)
	if in.Session != "" {
		r.SetCookie(s.SessionCookie(r, in.Session))
	}
	if err != nil {
		return "", err
	}
	r.SetCookie(s.DeviceCookie(r, in.Device))
	return in.Session, nil
}
