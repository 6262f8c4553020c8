package commands

import (
	"context"
	"time"

	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// Invitation is a link by which a member of staff chooses a password.
type Invitation struct {
	Staff     staff.ID
	Username  string
	Secret    string    // in the link; it is stored nowhere, so it can be shown once
	ExpiresAt time.Time // exclusive
}

// InviteStaff registers a member of staff who chooses their own password.
type InviteStaff struct {
	Tenant   string
	Username string
	Name     string
	Email    string
	Roles    staff.Roles
}

// InviteStaff refuses a username that is or was in use with staff.ErrUsernameTaken.
func (d Desk) InviteStaff(ctx context.Context, c InviteStaff) (Invitation, error) {
	if err := d.knowPractice(ctx, c.Tenant); err != nil {
		return Invitation{}, err
	}
	events, err := registered(staff.Registered{Username: c.Username, Name: c.Name, Email: c.Email}, c.Roles)
	if err != nil {
		return Invitation{}, err
	}
	link, given := d.newInvitation(staff.ID{UUID: event.NewID()}, c.Username)
	invited, err := event.Fold[staff.Member](events...).Invite(link)
	if err != nil {
		return Invitation{}, err
	}
	err = d.begin(ctx, staff.StreamOf(c.Tenant, given.Staff), append(events, invited...)...)
	return given.unless(err)
}

// InviteAgain gives a member of staff without a password another link.
type InviteAgain struct {
	Tenant   string
	Username string
}

// InviteAgain ends the previous link. It refuses a member who has a password with
// staff.ErrSignsInSoFar.
func (d Desk) InviteAgain(ctx context.Context, c InviteAgain) (Invitation, error) {
	id, err := d.Staff.StaffByUsername(ctx, c.Tenant, c.Username)
	if err != nil {
		return Invitation{}, err
	}
	return d.giveLink(ctx, c.Tenant, id, c.Username, staff.Member.Invite)
}

// ResetStaff ends a member's password and passkeys, and gives them a link to choose
// another password. It ends their sessions, forgets the browsers that they have used,
// and ends their authorisations.
type ResetStaff struct {
	Tenant   string
	Username string
}

// ResetStaff ends authorisations last, when no session is left that could give another
// one. It can be repeated after an error.
func (d Desk) ResetStaff(ctx context.Context, c ResetStaff) (Invitation, error) {
	id, err := d.Staff.StaffByUsername(ctx, c.Tenant, c.Username)
	if err != nil {
		return Invitation{}, err
	}
	given, err := d.giveLink(ctx, c.Tenant, id, c.Username, staff.Member.Reset)
	if err != nil {
		return Invitation{}, err
	}
	if err := d.Passwords.Discard(ctx, c.Tenant, id, staff.CredentialID{}); err != nil {
		return Invitation{}, err
	}
	_, err = d.revokeAll(ctx, c.Tenant, id, authorisation.PasswordReset)
	return given.unless(err)
}

// ReactivateStaff lets a former member of staff act again, once they have chosen a
// password.
type ReactivateStaff struct {
	Tenant   string
	Username string
}

// ReactivateStaff ends passwords, and authorisations that would take effect again,
// while the member of staff cannot act yet. They keep their former roles. It refuses an
// active member with staff.ErrActive.
func (d Desk) ReactivateStaff(ctx context.Context, c ReactivateStaff) (Invitation, error) {
	id, err := d.Staff.AnyStaffByUsername(ctx, c.Tenant, c.Username)
	if err != nil {
		return Invitation{}, err
	}
	member, err := Load[staff.Member](ctx, d.Store, staff.StreamOf(c.Tenant, id))
	if err != nil {
		return Invitation{}, err
	}
	if err := member.HasLeft(); err != nil {
		return Invitation{}, err
	}
	if err := d.Passwords.Discard(ctx, c.Tenant, id, staff.CredentialID{}); err != nil {
		return Invitation{}, err
	}
	if _, err := d.revokeAll(ctx, c.Tenant, id, authorisation.Left); err != nil {
		return Invitation{}, err
	}
	return d.giveLink(ctx, c.Tenant, id, c.Username, staff.Member.Reactivate)
}

// giveLink gives a member of staff a new link by a decision.
func (d Desk) giveLink(ctx context.Context, tenant string, id staff.ID, username string,
	decide func(staff.Member, staff.Link) ([]event.Event, error),
) (Invitation, error) {
	link, given := d.newInvitation(id, username)
	err := Update(ctx, d.Store, staff.StreamOf(tenant, id), func(m staff.Member) ([]event.Event, error) {
		return decide(m, link)
	})
	return given.unless(err)
}

func (d Desk) newInvitation(id staff.ID, username string) (staff.Link, Invitation) {
	link, secret := staff.NewLink(d.instant())
	return link, Invitation{Staff: id, Username: username, Secret: secret, ExpiresAt: link.ExpiresAt}
}

// unless returns no invitation if there is an error.
func (i Invitation) unless(err error) (Invitation, error) {
	if err != nil {
		return Invitation{}, err
	}
	return i, nil
}
