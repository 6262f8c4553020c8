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
func (s *Section) passwordForm(v *pagekit.Request) error {
	if ready, err := s.readyForPassword(v); err != nil || !ready {
		return err
	}
	return s.showPassword(v, http.StatusOK, pagekit.FormErrors{})
}

func (s *Section) showPassword(v *pagekit.Request, status int, wrong pagekit.FormErrors) error {
	s.Show(v, pagekit.View{Template: templates["password"], Status: status, Title: wrong.PageTitle("Change your password"), Content: passwordPage{
		FormErrors: wrong,
		Present:    wrong.Password("present", "Current password", "", "current-password"),
		New:        wrong.Password("password", "New password", staff.ErrPasswordShort.Detail, "new-password"),
		Token:      v.Session.FormToken("password"),
	}})
	return nil
}

// changePassword changes the password of a member of staff who knows the current one:
// an unattended browser is not enough. It ends everything that began with the old one,
// and this browser continues in a new session.
func (s *Section) changePassword(v *pagekit.Request) error {
	if !v.HasToken("password") {
		return pagekit.ErrStale
	}
	if ready, err := s.readyForPassword(v); err != nil || !ready {
		return err
	}
	present, chosen := v.Form.Get("present"), v.Form.Get("password")
	if wrong := passwordErrors(v, present, chosen); len(wrong.Faults) > 0 {
		return s.showPassword(v, http.StatusBadRequest, wrong)
	}
	return s.replacePassword(v, present, chosen)
}

// replacePassword sets the new password if the current one is right and unchanged.
func (s *Section) replacePassword(v *pagekit.Request, present, chosen string) error {
	v.Release() // which has a queue of its own
	try := s.newTry(v, v.Session.Username, present)
	shown, err := s.Auth.VerifyPassword(v.AnonymousContext(), try)
	if refusal, ok := refusalOf(err); ok {
		status, text := s.refusalText(v, refusal, "This is not your password.")
		return s.showPassword(v, status, pagekit.FormError("present", text))
	}
	if err != nil {
		return err
	}
	shown.Credential, err = s.Desk.ChangePassword(v.StaffContext(), commands.ChangePassword{
		Tenant: v.Tenant, Staff: shown.Staff, Shown: shown.Credential, Password: chosen,
	})
	if errors.Is(err, staff.ErrPasswordEnded) {
		return pagekit.ErrStale
	}
	if wrong, ok := pagekit.FormErrorsOf(err, "password"); ok {
		return s.showPassword(v, http.StatusBadRequest, wrong)
	}
	if err != nil {
		return err
	}
	if err := s.beginSession(v, try, shown); err != nil {
		return err
	}
	return v.Redirect(v.Base() + "/account?done=password")
}

// readyForPassword redirects a member with passkeys to show one first, unless they did
// recently: their password alone does not suffice (D66).
func (s *Section) readyForPassword(v *pagekit.Request) (ready bool, err error) {
	if s.Confirmed(v) {
		return true, nil
	}
	passkeys, err := s.Auth.Passkeys.List(v.Context(), v.Tenant, v.Session.Staff)
	if err != nil || len(passkeys) == 0 {
		return err == nil, err
	}
	return false, s.ConfirmFirst(v, "account/password")
}

// passwordErrors checks the typed values before any hash is checked.
func passwordErrors(v *pagekit.Request, present, chosen string) (wrong pagekit.FormErrors) {
	if present == "" {
		wrong = wrong.With("present", "Enter your current password")
	}
	if chosen == "" {
		wrong = wrong.With("password", "Enter a new password")
		return wrong
	}
	of := staff.Known{Username: v.Session.Username, Name: v.Session.Name, Tenant: v.Tenant, Practice: v.Practice.Name}
	if fit, ok := pagekit.FormErrorsOf(staff.CheckPassword(chosen, of), "password"); ok {
		wrong.Faults = append(wrong.Faults, fit.Faults...)
	}
	return wrong
}
