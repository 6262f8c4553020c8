package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// SetPassword gives a member of staff another password. Their sessions end
// with the old one.
type SetPassword struct {
	Tenant   string
	Username string
	Password string
}

// Passwords keeps hashes of passwords, outside the log (D27).
type Passwords interface {
	// Keep hashes a password and keeps the hash. It counts for nothing until
	// the log names the credential.
	Keep(ctx context.Context, tenant string, member staff.ID, password string) (staff.CredentialID, error)
	// Discard forgets every hash of a member but that of one credential.
	Discard(ctx context.Context, tenant string, member staff.ID, but staff.CredentialID) error
}

// SetPasswordHandler handles [SetPassword].
type SetPasswordHandler struct {
	Store     Store
	Staff     StaffDirectory
	Passwords Passwords
}

// Handle sets the password, or returns the rule that refuses it. Nothing slow
// happens in the append: the hash is kept before it, and old ones go after it.
func (h SetPasswordHandler) Handle(ctx context.Context, c SetPassword) error {
	id, err := h.Staff.StaffByUsername(ctx, c.Tenant, c.Username)
	if err == nil {
		err = staff.CheckPassword(c.Username, c.Password)
	}
	if err == nil {
		err = h.set(ctx, c.Tenant, id, c.Password)
	}
	if err != nil {
		return fmt.Errorf("set password: %w", err)
	}
	return nil
}

func (h SetPasswordHandler) set(ctx context.Context, tenant string, id staff.ID, password string) error {
	credential, err := h.Passwords.Keep(ctx, tenant, id, password)
	if err != nil {
		return err
	}
	err = Update(ctx, h.Store, staff.StreamOf(tenant, id), func(m staff.Member) ([]event.Event, error) {
		return m.SetPassword(credential)
	})
	if err != nil {
		return err
	}
	return h.Passwords.Discard(ctx, tenant, id, credential)
}
