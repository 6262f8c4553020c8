package commands

import (
	"context"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// AddPasskey gives a member of staff a passkey to sign in with. Whoever asks for this
// has seen the passkey sign, and the member prove who they are.
type AddPasskey struct {
	Tenant  string
	Staff   staff.ID
	With    staff.CredentialID // the password of their session
	Passkey staff.PasskeyAdded
}

// AddPasskey refuses a passkey that the practice knows with staff.ErrPasskeyTaken, and a
// session that has ended in the meantime with staff.ErrPasswordEnded.
func (d Desk) AddPasskey(ctx context.Context, c AddPasskey) error {
	return Update(ctx, d.Store, staff.StreamOf(c.Tenant, c.Staff), func(m staff.Member) ([]event.Event, error) {
		return m.AddPasskey(c.With, c.Passkey)
	})
}

// RemovePasskey takes a passkey away from a member of staff. After the last one, the
// password alone signs them in again.
type RemovePasskey struct {
	Tenant  string
	Staff   staff.ID
	Passkey staff.PasskeyID
}

// RemovePasskey changes nothing if they do not have the passkey.
func (d Desk) RemovePasskey(ctx context.Context, c RemovePasskey) error {
	return Update(ctx, d.Store, staff.StreamOf(c.Tenant, c.Staff), func(m staff.Member) ([]event.Event, error) {
		return m.RemovePasskey(c.Passkey)
	})
}
