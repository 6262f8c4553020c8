package account

import (
	"errors"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/staff"
)

// passwordPage is the page to change one's password.
type passwordPage struct {
	pagekit.FormErrors
	Present, New pagekit.Field
	Token        string
}

// passwordForm asks for the current password and a new one.
func (s *Section) passwordForm(r *pagekit.Request) error {
	if ready, err := s.readyForPassword(r); err != nil || !ready {
		return err
	}
	return s.showPassword(r, http.StatusOK, pagekit.FormErrors{})
}

func (s *Section) showPassword(r *pagekit.Request, status int, wrong pagekit.FormErrors) error {
	s.Show(r, pagekit.View{Template: templates["password"], Status: status, Title: wrong.PageTitle("Change your password"), Content: passwordPage{
		FormErrors: wrong,
		Present:    wrong.Password("present", "Current password", "", "current-password"),
		New:        wrong.Password("password", "New password", staff.ErrPasswordShort.Detail, "new-password"),
		Token:      r.Session.FormToken("password"),
	}})
	return nil
}

// changePassword changes the password of a member of staff who knows the current one:
// an unattended browser is not enough. It ends everything that began with the old one,
// and this browser continues in a new session.
func (s *Section) changePassword(r *pagekit.Request) error {
	if !r.HasToken("password") {
		return pagekit.ErrStale
	}
	if ready, err := s.readyForPassword(r); err != nil || !ready {
		return err
	}
	present, chosen := r.Form.Get("present"), r.Form.Get("password")
	if wrong := passwordErrors(r, present, chosen); len(wrong.Faults) > 0 {
		return s.showPassword(r, http.StatusBadRequest, wrong)
	}
	return s.replacePassword(r, present, chosen)
}

// replacePassword sets the new password if the current one is right and unchanged.
func (s *Section) replacePassword(r *pagekit.Request, present, chosen string) error {
	r.Release() // sign-ins have a queue of their own
	try := s.newTry(r, r.Session.Username, present)
	shown, err := s.Auth.VerifyPassword(r.AnonymousContext(), try)
	if refusal, ok := refusalOf(err); ok {
		status, text := s.refusalText(r, refusal, "Incorrect password.")
		return s.showPassword(r, status, pagekit.FormError("present", text))
	}
	if err != nil {
		return err
	}
	shown.Credential, err = s.Desk.ChangePassword(r.StaffContext(), commands.ChangePassword{
		Tenant: r.Tenant, Staff: shown.Staff, Shown: shown.Credential, Password: chosen,
	})
	if errors.Is(err, staff.ErrPasswordEnded) {
		return pagekit.ErrStale
	}
	if wrong, ok := pagekit.FormErrorsOf(err, "password"); ok {
		return s.showPassword(r, http.StatusBadRequest, wrong)
	}
	if err != nil {
		return err
	}
	if err := s.beginSession(r, try, shown); err != nil {
		return err
	}
	return r.Redirect(r.Base() + "/account?done=password")
}

// readyForPassword redirects a member with passkeys to show one first, unless they did
// recently: their password does not suffice (D66).
func (s *Section) readyForPassword(r *pagekit.Request) (ready bool, err error) {
	if s.Confirmed(r) {
		return true, nil
	}
	passkeys, err := s.Auth.Passkeys.List(r.Context(), r.Tenant, r.Session.Staff)
	if err != nil || len(passkeys) == 0 {
		return err == nil, err
	}
	return false, s.ConfirmFirst(r, "account/password")
}

// passwordErrors checks the typed values before any hash is checked.
func passwordErrors(r *pagekit.Request, present, chosen string) (wrong pagekit.FormErrors) {
	if present == "" {
		wrong = wrong.With("present", "Enter your current password")
	}
	if chosen == "" {
		wrong = wrong.With("password", "Enter a new password")
		return wrong
	}
	of := staff.Known{Username: r.Session.Username, Name: r.Session.Name, Tenant: r.Tenant, Practice: r.Practice.Name}
	if fit, ok := pagekit.FormErrorsOf(staff.CheckPassword(chosen, of), "password"); ok {
		wrong.Faults = append(wrong.Faults, fit.Faults...)
	}
	return wrong
}
