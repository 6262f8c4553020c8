package staffweb

import (
	"errors"
	"net/http"
	"strings"

	"frontdesk/commands"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// invitePage asks whom to invite.
type invitePage struct {
	faulty
	Name, Username, Email field
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

// inviteForm asks whom to invite, whoever has proved who they are lately enough to do it. An
// address fills in nothing, because anybody can write one.
func (p *Pages) inviteForm(v *visit) error {
	if !p.confirmed(v) {
		return p.confirmFirst(v, "people?invite")
	}
	v.form = nil
	return p.askInvited(v, http.StatusOK, invitePage{})
}

// askInvited shows the form with what was typed.
func (p *Pages) askInvited(v *visit, status int, page invitePage) error {
	text := func(id, label, hint, kind string) field {
		return field{ID: id, Label: label, Hint: hint, Kind: kind, Value: v.form.Get(id), Fill: "off", Fault: page.Fault(id)}
	}
	page.Name = text("name", "Full name", "", "text")
	page.Username = text("username", "Username", "They sign in with it, written exactly as it is here. It cannot be changed later.", "text")
	page.Email = text("email", "Email address", "We send nothing to it. Applications may be told it when this person does something.", "email")
	page.Roles, page.Token = choices(ticked(v)), v.session.FormToken("people")
	p.show(v, view{name: "invite", status: status, title: page.title("Invite somebody"), content: page})
	return nil
}

// invite makes somebody a member of staff, who chooses a password by a link.
func (p *Pages) invite(v *visit) error {
	if !p.confirmed(v) {
		return p.confirmFirst(v, "people?invite")
	}
	wanted := commands.InviteStaff{
		Tenant: v.tenant, Username: v.form.Get("username"), Name: v.form.Get("name"), Email: v.form.Get("email"), Roles: ticked(v),
	}
	if wrong := unnamed(wanted); len(wrong.Faults) > 0 {
		return p.askInvited(v, http.StatusBadRequest, invitePage{faulty: wrong})
	}
	given, err := p.Desk.InviteStaff(v.asStaff(), wanted)
	if wrong, ok := faultOf(err, inviteField(err)); ok {
		return p.askInvited(v, http.StatusBadRequest, invitePage{faulty: wrong})
	}
	if err != nil {
		return err
	}
	return p.showLink(v, wanted.Name, given)
}

// unnamed says what is missing, all at once.
func unnamed(wanted commands.InviteStaff) (wrong faulty) {
	if strings.TrimSpace(wanted.Name) == "" {
		wrong = wrong.with("name", "Enter their full name")
	}
	if wanted.Username == "" {
		wrong = wrong.with("username", "Enter a username")
	}
	if wanted.Email == "" {
		wrong = wrong.with("email", "Enter their email address")
	}
	return wrong
}

// handedPage shows a link, once.
type handedPage struct {
	Name, Username string
	Link           string
	Until          string
}

// hand shows a link that was made for a member of staff, or why none was made.
func (p *Pages) hand(v *visit, about projections.Person, given commands.Invitation, err error) error {
	if err != nil {
		return p.refuse(v, about, err)
	}
	return p.showLink(v, about.Name, given)
}

// showLink shows a link in the answer to the form that had it made. The secret is kept
// nowhere, and a form that is sent again makes no other link: by then the member of staff
// is not what the form has seen, or has the username already.
func (p *Pages) showLink(v *visit, name string, given commands.Invitation) error {
	p.show(v, view{name: "handed", status: http.StatusOK, title: "Give this link to " + name, content: handedPage{
		Name: name, Username: given.Username,
		Link:  p.origin(v) + LinkPath(v.tenant, given.Secret),
		Until: clock(given.ExpiresAt, v.practice.Zone),
	}})
	return nil
}

// origin is where browsers reach the pages.
func (p *Pages) origin(v *visit) string {
	if p.URL == nil { // on a loopback host, which the browser has named
		return "http://" + v.r.Host
	}
	return p.URL.Scheme + "://" + p.URL.Host
}
