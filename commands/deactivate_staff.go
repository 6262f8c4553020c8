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

// DeactivateStaffHandler handles [DeactivateStaff].
type DeactivateStaffHandler struct {
	Store Store
	Staff StaffDirectory
}

// Handle deactivates the member of staff, or returns the rule that refuses it.
func (h DeactivateStaffHandler) Handle(ctx context.Context, c DeactivateStaff) error {
	id, err := h.Staff.StaffByUsername(ctx, c.Tenant, c.Username)
	if err == nil {
		err = Update(ctx, h.Store, staff.StreamOf(c.Tenant, id), staff.Member.Deactivate)
	}
	if err != nil {
		return fmt.Errorf("deactivate staff: %w", err)
	}
	return nil
}
