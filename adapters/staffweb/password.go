package staffweb

import (
	"errors"
	"net/http"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

// passwordPage is where members of staff choose another password.
type passwordPage struct {
	faulty
	Present, New field
	Token        string
}

// passwordForm asks for the present password and another one.
func (p *Pages) passwordForm(v *visit) error {
	if ready, err := p.readyForPassword(v); err != nil || !ready {
		return err
	}
	return p.askPassword(v, http.StatusOK, faulty{})
}

func (p *Pages) askPassword(v *visit, status int, wrong faulty) error {
	p.show(v, view{name: "password", status: status, title: wrong.title("Change your password"), content: passwordPage{
		faulty:  wrong,
		Present: wrong.password("present", "Current password", "", "current-password"),
		New:     wrong.password("password", "New password", staff.ErrPasswordShort.Detail, "new-password"),
		Token:   v.session.FormToken("password"),
	}})
	return nil
}

// changePassword gives the member of staff another password, if they know the one that
// they have: a browser that was left alone is not enough. Everything that was begun with
// the old one ends, and this browser goes on in a new session.
func (p *Pages) changePassword(v *visit) error {
	if !v.owns("password") {
		return errStale
	}
	if ready, err := p.readyForPassword(v); err != nil || !ready {
		return err
	}
	present, chosen := v.form.Get("present"), v.form.Get("password")
	if wrong := unfit(v, present, chosen); len(wrong.Faults) > 0 {
		return p.askPassword(v, http.StatusBadRequest, wrong)
	}
	return p.replacePassword(v, present, chosen)
}

// replacePassword takes the new password if the present one is right and still counts.
func (p *Pages) replacePassword(v *visit, present, chosen string) error {
	v.leave() // for a queue of its own
	try := p.tryOf(v, v.session.Username, present)
	shown, err := p.Door.Prove(v.asStranger(), try)
	if refusal, ok := refusalOf(err); ok {
		status, text := p.refused(v, refusal, "This is not your password.")
		return p.askPassword(v, status, faulty{[]fieldFault{{"present", text}}})
	}
	if err != nil {
		return err
	}
	shown.Credential, err = p.Desk.ChangePassword(v.asStaff(), commands.ChangePassword{
		Tenant: v.tenant, Staff: shown.Staff, Shown: shown.Credential, Password: chosen,
	})
	if errors.Is(err, staff.ErrPasswordEnded) {
		return errStale
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
	return v.goTo(v.base() + "/account?done=password")
}

// readyForPassword sends whoever has a passkey to show it first, if they have not done so
// lately: of them the password proves nothing (D66).
func (p *Pages) readyForPassword(v *visit) (ready bool, err error) {
	if p.confirmed(v) {
		return true, nil
	}
	passkeys, err := p.Door.Passkeys.Of(v.ctx(), v.tenant, v.session.Staff)
	if err != nil || len(passkeys) == 0 {
		return err == nil, err
	}
	return false, p.confirmFirst(v, "account/password")
}

// unfit says what is wrong with what was typed before anybody's password is looked at.
func unfit(v *visit, present, chosen string) (wrong faulty) {
	if present == "" {
		wrong = wrong.with("present", "Enter your current password")
	}
	if chosen == "" {
		wrong = wrong.with("password", "Enter a new password")
		return wrong
	}
	of := staff.Known{Username: v.session.Username, Name: v.session.Name, Tenant: v.tenant, Practice: v.practice.Name}
	if fit, ok := faultOf(staff.CheckPassword(chosen, of), "password"); ok {
		wrong.Faults = append(wrong.Faults, fit.Faults...)
	}
	return wrong
}

// tryOf is a try to sign in with this browser.
func (p *Pages) tryOf(v *visit, username, password string) signin.Try {
	return signin.Try{
		Account: signin.Account{Tenant: v.tenant, Username: username}, Password: password,
		Source: v.source, Device: v.shown(p.deviceCookie(v, "")), Browser: browserOf(v.r.UserAgent()),
	}
}

// admit signs somebody in who has just chosen a password, in place of whoever was signed in
// with this browser.
func (p *Pages) admit(v *visit, try signin.Try, chosen signin.Holder) error {
	in, err := p.Door.Admit(v.asStranger(), try, chosen)
	if err != nil {
		return err
	}
	return p.give(v, in)
}

// give gives the browser its new session, in place of the one that it may have.
func (p *Pages) give(v *visit, in signin.SignedIn) error {
	if err := p.endSession(v); err != nil {
		return err
	}
	http.SetCookie(v.w, p.sessionCookie(v, in.Session))
	http.SetCookie(v.w, p.deviceCookie(v, in.Device))
	return nil
}

// faultOf is a refusal of a rule as what is wrong with a field. Whatever else the error is
// belongs to no field.
func faultOf(err error, field string) (wrong faulty, ok bool) {
	refusal, ok := errors.AsType[*fault.Error](err)
	if !ok || refusal.Kind == fault.Unavailable {
		return wrong, false
	}
	wrong = wrong.with(field, refusal.Detail)
	return wrong, true
}
