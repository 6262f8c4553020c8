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
	Seen  string // the state that the page shows, so that no action applies to a changed member
	Token string
}

// showPerson shows one member of staff.
func (s *Section) showPerson(v *pagekit.Request, status int, page personPage) error {
	rows, err := s.rowsOf(v, page.Person)
	if err != nil {
		return err
	}
	page.Row, page.Seen, page.Token = rows[0], v.Session.FormToken(seenOf(page.Person)), v.Session.FormToken("people")
	if page.Roles == nil {
		page.Roles = choices(page.Person.Roles)
	}
	s.Show(v, pagekit.View{Template: templates["person"], Status: status, Title: page.PageTitle(page.Name), Content: page})
	return nil
}

// doneTexts maps the word in the address of a member's page to its text about the last
// action.
var doneTexts = map[string]string{
	"roles":      "The roles have been changed. They apply from the next page that is opened.",
	"deactivate": "The account has been deactivated.",
}

// seenOf encodes everything about a person that an action depends on.
func seenOf(o projections.Person) (purpose string) {
	return fmt.Sprintf("seen\x00%s %t %t %q %d", o.Staff, o.Active, o.SignsIn, o.Roles, o.LinkUntil.UnixMicro())
}

// act is a manager's action on a member of staff.
type act func(s *Section, v *pagekit.Request, about projections.Person) error

// acts are the actions by their names in forms.
func acts() map[string]act {
	return map[string]act{
		"reinvite": func(s *Section, v *pagekit.Request, about projections.Person) error {
			given, err := s.Desk.InviteAgain(v.StaffContext(), commands.InviteAgain{Tenant: v.Tenant, Username: about.Username})
			return s.showLinkOf(v, about, given, err)
		},
		"reset": func(s *Section, v *pagekit.Request, about projections.Person) error {
			given, err := s.Desk.ResetStaff(v.StaffContext(), commands.ResetStaff{Tenant: v.Tenant, Username: about.Username})
			return s.showLinkOf(v, about, given, err)
		},
		"reactivate": func(s *Section, v *pagekit.Request, about projections.Person) error {
			given, err := s.Desk.ReactivateStaff(v.StaffContext(), commands.ReactivateStaff{Tenant: v.Tenant, Username: about.Username})
			return s.showLinkOf(v, about, given, err)
		},
		"deactivate": func(s *Section, v *pagekit.Request, about projections.Person) error {
			err := s.Desk.DeactivateStaff(v.StaffContext(), commands.DeactivateStaff{Tenant: v.Tenant, Username: about.Username})
			return s.redirectDone(v, about, err)
		},
		"roles": func(s *Section, v *pagekit.Request, about projections.Person) error {
			err := s.Desk.SetStaffRoles(v.StaffContext(), commands.SetStaffRoles{Tenant: v.Tenant, Username: about.Username, Roles: ticked(v)})
			return s.redirectDone(v, about, err)
		},
	}
}

// changePeople runs a manager's action on a member of staff, or a search. A change
// needs recent reauthentication: an unattended browser must not give anyone an account.
func (s *Section) changePeople(v *pagekit.Request) error {
	if !v.HasToken("people") {
		return pagekit.ErrStale
	}
	switch v.Form.Get("do") {
	case "find":
		return s.findPeople(v)
	case "invite":
		return s.invite(v)
	}
	if act, ok := acts()[v.Form.Get("do")]; ok {
		return s.changePerson(v, act)
	}
	return pagekit.ErrUnreadable
}

// changePerson runs the action unless the member of staff has changed since the page
// was shown.
func (s *Section) changePerson(v *pagekit.Request, act act) error {
	everybody, err := s.People.Of(v.Context(), v.Tenant)
	if err != nil {
		return err
	}
	about, err := memberOf(v, everybody)
	if err != nil {
		return err
	}
	if !v.Session.Owns(v.Form.Get("seen"), seenOf(about)) {
		return s.showPerson(v, http.StatusConflict, personPage{Person: about, FormErrors: pagekit.FormError("facts",
			"Nothing has been changed: somebody has changed this account since you opened the page. Look at it again.")})
	}
	if !s.Confirmed(v) {
		return s.ConfirmFirst(v, "people?member="+about.Staff.String())
	}
	return act(s, v, about)
}

// redirectDone returns to the member's page, or shows why nothing was done.
func (s *Section) redirectDone(v *pagekit.Request, about projections.Person, err error) error {
	if err != nil {
		return s.showRefusal(v, about, err)
	}
	return v.Redirect(v.Base() + "/people?member=" + about.Staff.String() + "&done=" + v.Form.Get("do"))
}

// showRefusal shows why a rule refuses an action on a member of staff.
func (s *Section) showRefusal(v *pagekit.Request, about projections.Person, err error) error {
	refusal, ok := errors.AsType[*fault.Error](err)
	if !ok || refusal.Kind == fault.Unavailable {
		return err
	}
	page := personPage{Person: about, FormErrors: pagekit.FormError("facts", refusal.Detail)}
	if v.Form.Get("do") == "roles" {
		page.Faults[0].Field, page.Roles = firstRole, choices(ticked(v))
	}
	return s.showPerson(v, http.StatusBadRequest, page)
}
