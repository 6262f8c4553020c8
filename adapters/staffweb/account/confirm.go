package account

import (
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
func (s *Section) confirmForm(v *pagekit.Request) error {
	return s.showConfirm(v, http.StatusOK, pagekit.FormErrors{})
}

func (s *Section) showConfirm(v *pagekit.Request, status int, wrong pagekit.FormErrors) error {
	if !isOwnPage(v.Form.Get("then")) {
		return pagekit.ErrUnreadable
	}
	passkeys, err := s.Auth.Passkeys.List(v.Context(), v.Tenant, v.Session.Staff)
	if err != nil {
		return err
	}
	page := confirmPage{
		Passkey: len(passkeys) > 0, Then: v.Form.Get("then"), Token: v.Session.FormToken(string(signin.ToConfirm)), FormErrors: wrong,
		Typed: wrong.Password("password", "Your password", "", "current-password"),
	}
	_, page.Here = s.passkeySite(v)
	shown := pagekit.View{Template: templates["confirm"], Status: status, Title: page.PageTitle("Confirm that it is you"), Content: page}
	if page.Passkey {
		shown.Script = pagekit.Passkeys
	}
	s.Show(v, shown)
	return nil
}

// confirm checks the password or the passkey, and sends the browser back.
func (s *Section) confirm(v *pagekit.Request) error {
	if !v.HasToken(string(signin.ToConfirm)) {
		return pagekit.ErrStale
	}
	if !isOwnPage(v.Form.Get("then")) {
		return pagekit.ErrUnreadable
	}
	err := s.verify(v)
	if refusal, ok := refusalOf(err); ok {
		field, text := "password", "This is not your password."
		if v.Form.Has("signed") {
			field, text = "passkey", refusal.Detail
		}
		status, text := s.refusalText(v, refusal, text)
		return s.showConfirm(v, status, pagekit.FormError(field, text))
	}
	if err != nil {
		return err
	}
	if v.Ask.Made {
		return v.Redirect(v.Base() + "/authorise" + v.Ask.Query())
	}
	return v.Redirect(v.Base() + "/" + v.Form.Get("then"))
}

// verify checks the passkey's signature in the form, or else the password. The error is
// a refusal if it is wrong.
func (s *Section) verify(v *pagekit.Request) error {
	if v.Form.Has("signed") {
		ask := signin.Ask{Purpose: signin.ToConfirm, Member: v.Session.Staff, Binding: v.Session.Token}
		return s.Auth.ConfirmByPasskey(v.AnonymousContext(), s.passkeyResponse(v, ask), v.Session)
	}
	v.Release() // which has a queue of its own
	device, err := s.Auth.Confirm(v.AnonymousContext(), s.newTry(v, v.Session.Username, v.Form.Get("password")), v.Session)
	if err != nil {
		return err
	}
	v.SetCookie(s.deviceCookie(v, device))
	return nil
}
