package commands

import (
	"context"
	"errors"
	"time"

	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
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
	second, err := d.second(ctx, c.Tenant, id)
	if err != nil {
		return Invitation{}, err
	}
	given, err := d.giveLink(ctx, c.Tenant, id, c.Username, func(m staff.Member, link staff.Link) ([]event.Event, error) {
		return m.Reset(link, second)
	})
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
	second, err := d.second(ctx, c.Tenant, id)
	if err != nil {
		return Invitation{}, err
	}
	if err := member.MayReactivate(second); err != nil {
		return Invitation{}, err
	}
	if err := d.Passwords.Discard(ctx, c.Tenant, id, staff.CredentialID{}); err != nil {
		return Invitation{}, err
	}
	if _, err := d.revokeAll(ctx, c.Tenant, id, authorisation.Left); err != nil {
		return Invitation{}, err
	}
	return d.giveLink(ctx, c.Tenant, id, c.Username, func(m staff.Member, link staff.Link) ([]event.Event, error) {
		return m.Reactivate(link, second)
	})
}

// second is the acting person, and whether they are independent of the one who requested
// the reset of a member of staff.
func (d Desk) second(ctx context.Context, tenant string, id staff.ID) (staff.Second, error) {
	second := staff.Second{By: event.MetadataFrom(ctx).Actor, At: d.instant()}
	member, err := Load[staff.Member](ctx, d.Store, staff.StreamOf(tenant, id))
	if err != nil {
		return second, err
	}
	request := member.ResetRequest(second.At)
	if request == (staff.ResetRequest{}) {
		return second, nil
	}
	second.Request = request.Reset
	second.Depends = Independent(ctx, d.Erasures, tenant, request.RequestedBy, request.RequestedAt, second.By)
	if _, refused := errors.AsType[*fault.Error](second.Depends); second.Depends != nil && !refused {
		return second, second.Depends
	}
	return second, nil
}

// RequestReset requests the reset of a member of staff who has a passkey, or the
// reactivation of one who had.
type RequestReset struct {
	Tenant   string
	Username string
}

// RequestReset changes nothing yet: a second person or 24 hours must follow. The owner of
// the account sees the request and can stop it.
func (d Desk) RequestReset(ctx context.Context, c RequestReset) (staff.ResetID, error) {
	id, err := d.Staff.AnyStaffByUsername(ctx, c.Tenant, c.Username)
	if err != nil {
		return staff.ResetID{}, err
	}
	request := staff.ResetRequest{
		Reset: staff.ResetID{UUID: event.NewID()}, RequestedBy: event.MetadataFrom(ctx).Actor, RequestedAt: d.instant(),
	}
	return request.Reset, Update(ctx, d.Store, staff.StreamOf(c.Tenant, id), func(m staff.Member) ([]event.Event, error) {
		return m.RequestReset(request)
	})
}

// WithdrawReset ends a request for a reset.
type WithdrawReset struct {
	Tenant string
	Staff  staff.ID
	Reset  staff.ResetID
}

// WithdrawReset leaves the account as it was before the request.
func (d Desk) WithdrawReset(ctx context.Context, c WithdrawReset) error {
	return Update(ctx, d.Store, staff.StreamOf(c.Tenant, c.Staff), func(m staff.Member) ([]event.Event, error) {
		return m.WithdrawReset(c.Reset)
	})
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

// Links finds the holder of a link.
type Links interface {
	// Holder returns the active member of staff who can choose a password by the link,
	// or staff.ErrLink.
	Holder(ctx context.Context, tenant string, link event.Digest, now time.Time) (LinkHolder, error)
}

// LinkHolder is the member of staff who holds a link.
type LinkHolder struct {
	Staff    staff.ID
	Username string
	Name     string
}

// AcceptLink sets the password that a member of staff has chosen by their link.
type AcceptLink struct {
	Tenant   string
	Secret   string
	Password string
}

// Accepted is the owner of the new password, and its name in the log.
type Accepted struct {
	LinkHolder
	Credential staff.CredentialID
}

// AcceptLink uses the link up, and refuses an invalid one with staff.ErrLink. If the
// password does not meet the rules, the link stays valid. The hash is stored before the
// append, so that nothing slow happens in the append itself. The log names the member
// of staff as the actor: the holder of the link is taken for them.
func (d Desk) AcceptLink(ctx context.Context, c AcceptLink) (Accepted, error) {
	link := staff.DigestOfLink(c.Secret)
	holder, err := d.Links.Holder(ctx, c.Tenant, link, d.Now())
	if err != nil {
		return Accepted{}, err
	}
	accept := func(m staff.Member, kept staff.PasswordSet) ([]event.Event, error) {
		kept.Link = link
		return m.Accept(kept, d.Now())
	}
	metadata := event.MetadataFrom(ctx)
	metadata.Actor = event.Staff(holder.Staff.UUID)
	chosen, err := d.newPassword(event.WithMetadata(ctx, metadata), c.Tenant, holder.Staff, c.Password, accept)
	if err != nil {
		return Accepted{}, err
	}
	return Accepted{holder, chosen}, nil
}
