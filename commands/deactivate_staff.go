package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/staff"
)

// DeactivateStaff ends what a member of staff may do, and their authorisations
// with it (D14).
type DeactivateStaff struct {
	Tenant   string
	Username string
}

// StaffRegister finds whoever is or was a member of staff: a username is never
// given to another (D35).
type StaffRegister interface {
	// AnyStaffByUsername is the member of staff of that username, who may have
	// left; staff.ErrUnknown if there never was one.
	AnyStaffByUsername(ctx context.Context, tenant, username string) (staff.ID, error)
}

// DeactivateStaffHandler handles [DeactivateStaff].
type DeactivateStaffHandler struct {
	Store Store
	Staff StaffRegister
}

// Handle deactivates the member of staff, or returns the rule that refuses it.
// Whoever has left already stays so, and nothing changes.
func (h DeactivateStaffHandler) Handle(ctx context.Context, c DeactivateStaff) error {
	id, err := h.Staff.AnyStaffByUsername(ctx, c.Tenant, c.Username)
	if err == nil {
		err = Update(ctx, h.Store, staff.StreamOf(c.Tenant, id), staff.Member.Deactivate)
	}
	if err != nil {
		return fmt.Errorf("deactivate staff: %w", err)
	}
	return nil
}
