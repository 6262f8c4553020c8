package commands

import (
	"context"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// AddPasskey gives a member of staff a passkey to sign in with. The caller has verified
// a signature of the passkey, and the member's identity.
type AddPasskey struct {
	Tenant  string
	Staff   staff.ID
	With    staff.CredentialID // their session's password
	Passkey staff.PasskeyAdded
}

// AddPasskey refuses a passkey that the practice knows with staff.ErrPasskeyTaken, and a
// session that has ended in the meantime with staff.ErrPasswordEnded.
func (d Desk) AddPasskey(ctx context.Context, c AddPasskey) error {
	return Update(ctx, d.Store, staff.StreamOf(c.Tenant, c.Staff), func(m staff.Member) ([]event.Event, error) {
		return m.AddPasskey(c.With, c.Passkey)
	})
}

// RemovePasskey removes a passkey of a member of staff. After the last one, the
// password is enough to sign in again.
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
