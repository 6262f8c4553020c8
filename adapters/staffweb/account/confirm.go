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
	pagekit.Faulty
}

// ownPage matches the pages that a browser may be redirected to: below those of the
// practice, with at most one parameter, which is an identifier.
var ownPage = regexp.MustCompile(`^[a-z]+(/[a-z0-9-]+)*(\?[a-z]+(=[0-9a-f-]{36})?)?$`)

// leads reports whether a browser may be redirected to the page.
func leads(then string) bool { return ownPage.MatchString(then) }

// confirmForm asks for reauthentication.
func (s *Section) confirmForm(v *pagekit.Visit) error {
	return s.askAgain(v, http.StatusOK, pagekit.Faulty{})
}

func (s *Section) askAgain(v *pagekit.Visit, status int, wrong pagekit.Faulty) error {
	if !leads(v.Form.Get("then")) {
		return pagekit.ErrUnreadable
	}
	passkeys, err := s.Door.Passkeys.Of(v.Context(), v.Tenant, v.Session.Staff)
	if err != nil {
		return err
	}
	page := confirmPage{
		Passkey: len(passkeys) > 0, Then: v.Form.Get("then"), Token: v.Session.FormToken(string(signin.ToConfirm)), Faulty: wrong,
		Typed: wrong.Password("password", "Your password", "", "current-password"),
	}
	_, page.Here = s.site(v)
	shown := pagekit.View{Template: templates["confirm"], Status: status, Title: page.Titled("Confirm that it is you"), Content: page}
	if page.Passkey {
		shown.Script = pagekit.Passkeys
	}
	s.Show(v, shown)
	return nil
}

// confirm checks the password or the passkey, and sends the browser back.
func (s *Section) confirm(v *pagekit.Visit) error {
	if !v.Owns(string(signin.ToConfirm)) {
		return pagekit.ErrStale
	}
	if !leads(v.Form.Get("then")) {
		return pagekit.ErrUnreadable
	}
	err := s.proved(v)
	if refusal, ok := refusalOf(err); ok {
		field, text := "password", "This is not your password."
		if v.Form.Has("signed") {
			field, text = "passkey", refusal.Detail
		}
		status, text := s.refused(v, refusal, text)
		return s.askAgain(v, status, pagekit.Wrong(field, text))
	}
	if err != nil {
		return err
	}
	if v.Ask.Made {
		return v.GoTo(v.Base() + "/authorise" + v.Ask.Query())
	}
	return v.GoTo(v.Base() + "/" + v.Form.Get("then"))
}

// proved checks the passkey's signature in the form, or else the password. The error is
// a refusal if it is wrong.
func (s *Section) proved(v *pagekit.Visit) error {
	if v.Form.Has("signed") {
		ask := signin.Ask{For: signin.ToConfirm, Member: v.Session.Staff, Bound: v.Session.Token}
		return s.Door.ConfirmByPasskey(v.AsStranger(), s.signed(v, ask), v.Session)
	}
	v.Leave() // which has a queue of its own
	device, err := s.Door.Confirm(v.AsStranger(), s.tryOf(v, v.Session.Username, v.Form.Get("password")), v.Session)
	if err != nil {
		return err
	}
	v.SetCookie(s.deviceCookie(v, device))
	return nil
}
