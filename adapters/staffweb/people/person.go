package people

import (
	"errors"
	"fmt"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/projections"
)

// personPage is one member of staff, with the actions of a manager.
type personPage struct {
	pagekit.FormErrors
	projections.Person
	Row   personRow
	Done  string // the last action; "" for none
	Roles []roleChoice
	Asked *pagekit.ResetRequest // a reset that waits; nil for none
	Due   string                // the day from which they cannot work without a passkey; "" for none
	Seen  string                // the state that the page shows, so that no action applies to a changed member
	Token string
}

// showPerson shows one member of staff.
func (s *Section) showPerson(r *pagekit.Request, status int, page personPage) error {
	rows, err := s.rowsOf(r, page.Person)
	if err != nil {
		return err
	}
	page.Row, page.Seen, page.Token = rows[0], r.Session.FormToken(seenOf(page.Person)), r.Session.FormToken("people")
	if page.Asked, err = s.ResetRequest(r, page.Person.Asked); err != nil {
		return err
	}
	if page.Roles == nil {
		page.Roles = choices(page.Person.Roles)
	}
	by, err := s.PasskeyRules.By(r.Context(), r.Tenant, page.Staff)
	if err != nil {
		return err
	}
	if !by.IsZero() && s.TakesPasskeys() {
		page.Due = pagekit.Day(by, r.Practice.Zone)
	}
	s.Show(r, pagekit.View{Template: templates["person"], Status: status, Title: page.PageTitle(page.Name), Content: page})
	return nil
}

// doneTexts maps the word in the address of a member's page to its text about the last
// action.
var doneTexts = map[string]string{
	"roles":          "The roles have been changed. They apply from the next page that is opened.",
	"deactivate":     "The account has been deactivated.",
	"request-reset":  "The reset has been requested. Nothing has been changed yet.",
	"withdraw-reset": "The request for a reset has been withdrawn.",
}

// seenOf encodes everything about a person that an action depends on.
func seenOf(o projections.Person) (purpose string) {
	return fmt.Sprintf("seen\x00%s %t %t %q %d %d %s", o.Staff, o.Active, o.SignsIn, o.Roles, o.LinkUntil.UnixMicro(), o.Passkeys, o.Asked.Reset)
}

// act is a manager's action on a member of staff.
type act func(s *Section, r *pagekit.Request, about projections.Person) error

// acts are the actions by their names in forms.
func acts() map[string]act {
	return map[string]act{
		"reinvite": func(s *Section, r *pagekit.Request, about projections.Person) error {
			given, err := s.Desk.InviteAgain(r.StaffContext(), commands.InviteAgain{Tenant: r.Tenant, Username: about.Username})
			return s.showLinkOf(r, about, given, err)
		},
		"reset": func(s *Section, r *pagekit.Request, about projections.Person) error {
			given, err := s.Desk.ResetStaff(r.StaffContext(), commands.ResetStaff{Tenant: r.Tenant, Username: about.Username})
			return s.showLinkOf(r, about, given, err)
		},
		"reactivate": func(s *Section, r *pagekit.Request, about projections.Person) error {
			given, err := s.Desk.ReactivateStaff(r.StaffContext(), commands.ReactivateStaff{Tenant: r.Tenant, Username: about.Username})
			return s.showLinkOf(r, about, given, err)
		},
		"request-reset": func(s *Section, r *pagekit.Request, about projections.Person) error {
			_, err := s.Desk.RequestReset(r.StaffContext(), commands.RequestReset{Tenant: r.Tenant, Username: about.Username})
			return s.redirectDone(r, about, err)
		},
		"withdraw-reset": func(s *Section, r *pagekit.Request, about projections.Person) error {
			err := s.Desk.WithdrawReset(r.StaffContext(), commands.WithdrawReset{Tenant: r.Tenant, Staff: about.Staff, Reset: about.Asked.Reset})
			return s.redirectDone(r, about, err)
		},
		"deactivate": func(s *Section, r *pagekit.Request, about projections.Person) error {
			err := s.Desk.DeactivateStaff(r.StaffContext(), commands.DeactivateStaff{Tenant: r.Tenant, Username: about.Username})
			return s.redirectDone(r, about, err)
		},
		"roles": func(s *Section, r *pagekit.Request, about projections.Person) error {
			err := s.Desk.SetStaffRoles(r.StaffContext(), commands.SetStaffRoles{Tenant: r.Tenant, Username: about.Username, Roles: ticked(r)})
			return s.redirectDone(r, about, err)
		},
	}
}

// changePeople runs a manager's action on a member of staff, or a search. A change
// needs recent reauthentication: an unattended browser must not give anyone an account.
func (s *Section) changePeople(r *pagekit.Request) error {
	if !r.HasToken("people") {
		return s.showUnsent(r)
	}
	switch r.Form.Get("do") {
	case "find":
		return s.findPeople(r)
	case "invite":
		return s.invite(r)
	}
	if act, ok := acts()[r.Form.Get("do")]; ok {
		return s.changePerson(r, act)
	}
	return pagekit.ErrUnreadable
}

// showUnsent shows the values of a form of another session again.
func (s *Section) showUnsent(r *pagekit.Request) error {
	do := r.Form.Get("do")
	switch {
	case do == "invite" && !s.Confirmed(r):
		return s.ConfirmForm(r, "people?invite")
	case do == "invite":
		status, wrong := r.Unsent("name")
		return s.showInvite(r, status, invitePage{FormErrors: wrong})
	case do != "roles":
		return pagekit.ErrStale
	}
	members, err := s.People.List(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	about, err := memberOf(r, members)
	if err != nil {
		return err
	}
	status, wrong := r.Unsent(firstRole)
	return s.showPerson(r, status, personPage{Person: about, FormErrors: wrong, Roles: choices(ticked(r))})
}

// changePerson runs the action unless the member of staff has changed since the page
// was shown.
func (s *Section) changePerson(r *pagekit.Request, act act) error {
	members, err := s.People.List(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	about, err := memberOf(r, members)
	if err != nil {
		return err
	}
	if !r.Session.Owns(r.Form.Get("seen"), seenOf(about)) {
		return s.showPerson(r, http.StatusConflict, personPage{Person: about, FormErrors: pagekit.FormError("facts",
			"Nothing has been changed: someone has changed this account since you opened the page. Look at it again.")})
	}
	if then := "people?member=" + about.Staff.String(); !s.Confirmed(r) && r.Form.Get("do") == "roles" {
		return s.ConfirmForm(r, then)
	} else if !s.Confirmed(r) {
		return s.ConfirmFirst(r, then)
	}
	return act(s, r, about)
}

// redirectDone returns to the member's page, or shows why nothing was done.
func (s *Section) redirectDone(r *pagekit.Request, about projections.Person, err error) error {
	if err != nil {
		return s.showRefusal(r, about, err)
	}
	return r.Redirect(r.Base() + "/people?member=" + about.Staff.String() + "&done=" + r.Form.Get("do"))
}

// showRefusal shows why a rule refuses an action on a member of staff.
func (s *Section) showRefusal(r *pagekit.Request, about projections.Person, err error) error {
	refusal, ok := errors.AsType[*fault.Error](err)
	if !ok || refusal.Kind == fault.Unavailable {
		return err
	}
	page := personPage{Person: about, FormErrors: pagekit.FormError("facts", refusal.Detail)}
	if r.Form.Get("do") == "roles" {
		page.Faults[0].Field, page.Roles = firstRole, choices(ticked(r))
	}
	return s.showPerson(r, http.StatusBadRequest, page)
}
