package staffweb

import (
	"errors"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

// passwordPage is the page to change one's password.
type passwordPage struct {
	pagekit.Faulty
	Present, New pagekit.Field
	Token        string
}

// passwordForm asks for the current password and a new one.
func (p *Pages) passwordForm(v *pagekit.Visit) error {
	if ready, err := p.readyForPassword(v); err != nil || !ready {
		return err
	}
	return p.askPassword(v, http.StatusOK, pagekit.Faulty{})
}

func (p *Pages) askPassword(v *pagekit.Visit, status int, wrong pagekit.Faulty) error {
	p.Show(v, pagekit.View{Template: templates["password"], Status: status, Title: wrong.Titled("Change your password"), Content: passwordPage{
		Faulty:  wrong,
		Present: wrong.Password("present", "Current password", "", "current-password"),
		New:     wrong.Password("password", "New password", staff.ErrPasswordShort.Detail, "new-password"),
		Token:   v.Session.FormToken("password"),
	}})
	return nil
}

// changePassword changes the password of a member of staff who knows the current one:
// an unattended browser is not enough. It ends everything that began with the old one,
// and this browser continues in a new session.
func (p *Pages) changePassword(v *pagekit.Visit) error {
	if !v.Owns("password") {
		return pagekit.ErrStale
	}
	if ready, err := p.readyForPassword(v); err != nil || !ready {
		return err
	}
	present, chosen := v.Form.Get("present"), v.Form.Get("password")
	if wrong := unfit(v, present, chosen); len(wrong.Faults) > 0 {
		return p.askPassword(v, http.StatusBadRequest, wrong)
	}
	return p.replacePassword(v, present, chosen)
}

// replacePassword sets the new password if the current one is right and unchanged.
func (p *Pages) replacePassword(v *pagekit.Visit, present, chosen string) error {
	v.Leave() // which has a queue of its own
	try := p.tryOf(v, v.Session.Username, present)
	shown, err := p.Door.Prove(v.AsStranger(), try)
	if refusal, ok := refusalOf(err); ok {
		status, text := p.refused(v, refusal, "This is not your password.")
		return p.askPassword(v, status, pagekit.Wrong("present", text))
	}
	if err != nil {
		return err
	}
	shown.Credential, err = p.Desk.ChangePassword(v.AsStaff(), commands.ChangePassword{
		Tenant: v.Tenant, Staff: shown.Staff, Shown: shown.Credential, Password: chosen,
	})
	if errors.Is(err, staff.ErrPasswordEnded) {
		return pagekit.ErrStale
	}
	if wrong, ok := faultOf(err, "password"); ok {
		return p.askPassword(v, http.StatusBadRequest, wrong)
	}
	if err != nil {
		return err
	}
	if err := p.admit(v, try, shown); err != nil {
		return err
	}
	return v.GoTo(v.Base() + "/account?done=password")
}

// readyForPassword redirects a member with passkeys to show one first, unless they did
// recently: their password alone does not suffice (D66).
func (p *Pages) readyForPassword(v *pagekit.Visit) (ready bool, err error) {
	if p.Confirmed(v) {
		return true, nil
	}
	passkeys, err := p.Door.Passkeys.Of(v.Context(), v.Tenant, v.Session.Staff)
	if err != nil || len(passkeys) == 0 {
		return err == nil, err
	}
	return false, p.ConfirmFirst(v, "account/password")
}

// unfit checks the typed values before any hash is checked.
func unfit(v *pagekit.Visit, present, chosen string) (wrong pagekit.Faulty) {
	if present == "" {
		wrong = wrong.With("present", "Enter your current password")
	}
	if chosen == "" {
		wrong = wrong.With("password", "Enter a new password")
		return wrong
	}
	of := staff.Known{Username: v.Session.Username, Name: v.Session.Name, Tenant: v.Tenant, Practice: v.Practice.Name}
	if fit, ok := faultOf(staff.CheckPassword(chosen, of), "password"); ok {
		wrong.Faults = append(wrong.Faults, fit.Faults...)
	}
	return wrong
}

// tryOf is an attempt to sign in with this browser.
func (p *Pages) tryOf(v *pagekit.Visit, username, password string) signin.Try {
	return signin.Try{
		Account: signin.Account{Tenant: v.Tenant, Username: username}, Password: password,
		Source: v.Source, Device: v.Shown(p.deviceCookie(v, "")), Browser: browserOf(v.R.UserAgent()),
	}
}

// admit signs in a member who has just chosen a password, and signs out any other in
// this browser.
func (p *Pages) admit(v *pagekit.Visit, try signin.Try, chosen signin.Holder) error {
	in, err := p.Door.Admit(v.AsStranger(), try, chosen)
	if err != nil {
		return err
	}
	return p.give(v, in)
}

// give sets the cookies of a new session, in place of any old one.
func (p *Pages) give(v *pagekit.Visit, in signin.SignedIn) error {
	if err := p.endSession(v); err != nil {
		return err
	}
	v.SetCookie(p.SessionCookie(v, in.Session))
	v.SetCookie(p.deviceCookie(v, in.Device))
	return nil
}

// faultOf returns a rule's refusal as the fault of a field; false for any other error.
func faultOf(err error, field string) (wrong pagekit.Faulty, ok bool) {
	refusal, ok := errors.AsType[*fault.Error](err)
	if !ok || refusal.Kind == fault.Unavailable {
		return wrong, false
	}
	wrong = wrong.With(field, refusal.Detail)
	return wrong, true
}
