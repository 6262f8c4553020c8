package people

import (
	"errors"
	"net/http"
	"strings"

	"frontdesk/adapters/staffweb/account"
	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// invitePage is the form of an invitation.
type invitePage struct {
	pagekit.FormErrors
	Name, Username, Email pagekit.Field
	Roles                 []roleChoice
	Token                 string
}

// inviteField is the field of the form that a refusal is about.
func inviteField(err error) string {
	switch {
	case errors.Is(err, staff.ErrInvalidEmail):
		return "email"
	case errors.Is(err, staff.ErrUnknownRole):
		return firstRole
	}
	return "username"
}

// inviteForm shows the form, after recent reauthentication. The address prefills
// nothing, because anyone can write one.
func (s *Section) inviteForm(v *pagekit.Request) error {
	if !s.Confirmed(v) {
		return s.ConfirmFirst(v, "people?invite")
	}
	v.Form = nil
	return s.showInvite(v, http.StatusOK, invitePage{})
}

// showInvite shows the form with the typed values.
func (s *Section) showInvite(v *pagekit.Request, status int, page invitePage) error {
	text := func(id, label, hint, kind string) pagekit.Field {
		return pagekit.Field{ID: id, Label: label, Hint: hint, Kind: kind, Value: v.Form.Get(id), Fill: "off", Fault: page.Fault(id)}
	}
	page.Name = text("name", "Full name", "", "text")
	page.Username = text("username", "Username", "They sign in with it, written exactly as it is here. It cannot be changed later.", "text")
	page.Email = text("email", "Email address", "We send nothing to it. Applications may be told it when this person does something.", "email")
	page.Roles, page.Token = choices(ticked(v)), v.Session.FormToken("people")
	s.Show(v, pagekit.View{Template: templates["invite"], Status: status, Title: page.PageTitle("Invite somebody"), Content: page})
	return nil
}

// invite registers a member of staff, who chooses a password by a link.
func (s *Section) invite(v *pagekit.Request) error {
	if !s.Confirmed(v) {
		return s.ConfirmFirst(v, "people?invite")
	}
	wanted := commands.InviteStaff{
		Tenant: v.Tenant, Username: v.Form.Get("username"), Name: v.Form.Get("name"), Email: v.Form.Get("email"), Roles: ticked(v),
	}
	if wrong := missingFields(wanted); len(wrong.Faults) > 0 {
		return s.showInvite(v, http.StatusBadRequest, invitePage{FormErrors: wrong})
	}
	given, err := s.Desk.InviteStaff(v.StaffContext(), wanted)
	if wrong, ok := pagekit.FormErrorsOf(err, inviteField(err)); ok {
		return s.showInvite(v, http.StatusBadRequest, invitePage{FormErrors: wrong})
	}
	if err != nil {
		return err
	}
	return s.showLink(v, wanted.Name, given)
}

// missingFields lists the missing fields, all at once.
func missingFields(wanted commands.InviteStaff) (wrong pagekit.FormErrors) {
	if strings.TrimSpace(wanted.Name) == "" {
		wrong = wrong.With("name", "Enter their full name")
	}
	if wanted.Username == "" {
		wrong = wrong.With("username", "Enter a username")
	}
	if wanted.Email == "" {
		wrong = wrong.With("email", "Enter their email address")
	}
	return wrong
}

// handedPage shows a link, once.
type handedPage struct {
	Name, Username string
	Link           string
	Until          string
}

// showLinkOf shows a new link of a member of staff, or why there is none.
func (s *Section) showLinkOf(v *pagekit.Request, about projections.Person, given commands.Invitation, err error) error {
	if err != nil {
		return s.showRefusal(v, about, err)
	}
	return s.showLink(v, about.Name, given)
}

// showLink shows a link in the response to the form that created it. The secret is not
// stored. Sending the form again creates no other link: the member of staff has changed
// since the form was made, or the username exists.
func (s *Section) showLink(v *pagekit.Request, name string, given commands.Invitation) error {
	s.Show(v, pagekit.View{Template: templates["handed"], Status: http.StatusOK, Title: "Give this link to " + name, Content: handedPage{
		Name: name, Username: given.Username,
		Link:  s.Origin(v) + account.LinkPath(v.Tenant, given.Secret),
		Until: pagekit.Clock(given.ExpiresAt, v.Practice.Zone),
	}})
	return nil
}
