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

// RemovePasskey changes nothing if they do not have the passkey. It refuses with
// staff.ErrLastPasskey if it is the last one and their role needs one.
func (d Desk) RemovePasskey(ctx context.Context, c RemovePasskey) error {
	rule, err := Load[staff.PasskeyRule](ctx, d.Store, staff.PasskeyRuleStream(c.Tenant))
	if err != nil {
		return err
	}
	return Update(ctx, d.Store, staff.StreamOf(c.Tenant, c.Staff), func(m staff.Member) ([]event.Event, error) {
		return m.RemovePasskey(c.Passkey, rule)
	})
}

// SetPasskeyRule sets which roles need a passkey at a practice.
type SetPasskeyRule struct {
	Tenant string
	Roles  staff.Roles
	Seen   int // the version that the author has read; negative for no check
}

// SetPasskeyRule refuses with staff.ErrRuleWeakened if a role is taken off by anyone but a
// manager with a passkey, or an operator before anyone of the practice had a password.
func (d Desk) SetPasskeyRule(ctx context.Context, c SetPasskeyRule) error {
	roles, err := staff.RolesOf(c.Roles...)
	if err != nil {
		return err
	}
	if err := d.knowPractice(ctx, c.Tenant); err != nil {
		return err
	}
	weaken, err := d.mayWeaken(ctx, c.Tenant)
	if err != nil {
		return err
	}
	return Update(ctx, d.Store, staff.PasskeyRuleStream(c.Tenant), func(rule staff.PasskeyRule) ([]event.Event, error) {
		return rule.Set(roles, c.Seen, weaken)
	})
}

// mayWeaken reports whether the acting person may take a role off the list, or refuses a
// member of staff who is no manager of the practice.
func (d Desk) mayWeaken(ctx context.Context, tenant string) (bool, error) {
	by := event.MetadataFrom(ctx).Actor
	if by.Kind != event.ByStaff {
		had, err := d.Staff.HadPassword(ctx, tenant)
		return !had, err
	}
	member, err := Load[staff.Member](ctx, d.Store, staff.StreamOf(tenant, staff.ID{UUID: by.Member()}))
	if err != nil {
		return false, err
	}
	return member.MaySetPasskeyRule()
}
