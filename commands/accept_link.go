package commands

import (
	"context"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// Links finds whose a link is.
type Links interface {
	// Holder returns the active member of staff who can choose a password by the link,
	// or staff.ErrLink.
	Holder(ctx context.Context, tenant string, link event.Digest, now time.Time) (LinkHolder, error)
}

// LinkHolder is whose a link is.
type LinkHolder struct {
	Staff    staff.ID
	Username string
	Name     string
}

// AcceptLink makes the password that somebody has chosen by their link the one that they
// sign in with.
type AcceptLink struct {
	Tenant   string
	Secret   string
	Password string
}

// Accepted is whose password it is, by the name that the log has for it.
type Accepted struct {
	LinkHolder
	Credential staff.CredentialID
}

// AcceptLink uses the link up, and refuses one that is no good with staff.ErrLink. A
// password that is not fit leaves it as it is. The hash is kept before the append, so
// that nothing slow happens in the append itself. The log names the member of staff as
// who did it: whoever has their link is taken for them.
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
