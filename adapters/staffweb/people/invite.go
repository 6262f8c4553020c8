package people

import (
	"errors"
	"net/http"
	"strings"

	"frontdesk/adapters/staffweb/account"
	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/parse"
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
func (s *Section) inviteForm(r *pagekit.Request) error {
	if !s.Confirmed(r) {
		return s.ConfirmFirst(r, "people?invite")
	}
	r.Form = nil
	return s.showInvite(r, http.StatusOK, invitePage{})
}

// showInvite shows the form with the typed values.
func (s *Section) showInvite(r *pagekit.Request, status int, page invitePage) error {
	text := func(id, label, hint, kind string) pagekit.Field {
		return pagekit.Field{ID: id, Label: label, Hint: hint, Kind: kind, Value: r.Form.Get(id), Fill: "off", Fault: page.Fault(id)}
	}
	page.Name = text("name", "Full name", "", "text")
	page.Username = text("username", "Username", "They sign in with it, written exactly as it is here. It cannot be changed later.", "text")
	page.Email = text("email", "Email address", "We send nothing to it. Applications may be told it when this person does something.", "email")
	page.Roles, page.Token = choices(ticked(r)), r.Session.FormToken("people")
	s.Show(r, pagekit.View{Template: templates["invite"], Status: status, Title: page.PageTitle("Invite a member of staff"), Content: page})
	return nil
}

// invite registers a member of staff, who chooses a password by a link.
func (s *Section) invite(r *pagekit.Request) error {
	if !s.Confirmed(r) {
		return s.ConfirmForm(r, "people?invite")
	}
	wanted := commands.InviteStaff{
		Tenant: r.Tenant, Username: r.Form.Get("username"), Name: r.Form.Get("name"), Email: r.Form.Get("email"), Roles: ticked(r),
	}
	if wrong := wrongFields(wanted); len(wrong.Faults) > 0 {
		return s.showInvite(r, http.StatusBadRequest, invitePage{FormErrors: wrong})
	}
	given, err := s.Desk.InviteStaff(r.StaffContext(), wanted)
	if wrong, ok := pagekit.FormErrorsOf(err, inviteField(err)); ok {
		return s.showInvite(r, http.StatusBadRequest, invitePage{FormErrors: wrong})
	}
	if err != nil {
		return err
	}
	return s.showLink(r, wanted.Name, given)
}

// wrongFields lists the missing fields, and a name that is too long, all at once.
func wrongFields(wanted commands.InviteStaff) (wrong pagekit.FormErrors) {
	if strings.TrimSpace(wanted.Name) == "" {
		wrong = wrong.With("name", "Enter their full name")
	}
	if long := pagekit.TooLong(wanted.Name, parse.MaxName); long != "" {
		wrong = wrong.With("name", long)
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

// showLinkOf shows a new link of a member of staff, or why a rule refuses it.
func (s *Section) showLinkOf(r *pagekit.Request, about projections.Person, given commands.Invitation, err error) error {
	if err != nil {
		return s.showRefusal(r, about, err)
	}
	return s.showLink(r, about.Name, given)
}

// showLink shows a link in the response to the form that created it. The secret is not
// stored. Sending the form again creates no other link: the member of staff has changed
// since the form was made, or the username exists.
func (s *Section) showLink(r *pagekit.Request, name string, given commands.Invitation) error {
	s.Show(r, pagekit.View{Template: templates["handed"], Status: http.StatusOK, Title: "Give this link to " + name, Content: handedPage{
		Name: name, Username: given.Username,
		Link:  s.Origin(r) + account.LinkPath(r.Tenant, given.Secret),
		Until: pagekit.Clock(given.ExpiresAt, r.Practice.Zone),
	}})
	return nil
}
