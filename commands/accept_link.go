package commands

import (
	"context"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

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
