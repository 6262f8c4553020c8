package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// StaffDirectory finds staff by the names they sign in with. Events hold their
// ids alone.
type StaffDirectory interface {
	// StaffByUsername is the active member of staff of that username;
	// staff.ErrUnknown if there is none.
	StaffByUsername(ctx context.Context, tenant, username string) (staff.ID, error)
}

// RegisterStaff makes somebody a member of staff of a practice.
type RegisterStaff struct {
	Tenant        string
	Username      string
	Name          string
	Email         string
	Administrator bool
}

// RegisterStaffHandler handles [RegisterStaff].
type RegisterStaffHandler struct{ Store Store }

// Handle registers the member of staff and returns their identifier. A taken
// username is refused by the store, with staff.ErrUsernameTaken.
func (h RegisterStaffHandler) Handle(ctx context.Context, c RegisterStaff) (staff.ID, error) {
	id := staff.ID{UUID: event.NewID()}
	err := knowPractice(ctx, h.Store, c.Tenant)
	if err == nil {
		err = Update(ctx, h.Store, staff.StreamOf(c.Tenant, id), func(m staff.Member) ([]event.Event, error) {
			return m.Register(staff.Registered{
				Username: c.Username, Name: c.Name, Email: c.Email, Administrator: c.Administrator,
			})
		})
	}
	if err != nil {
		return staff.ID{}, fmt.Errorf("register staff: %w", err)
	}
	return id, nil
}
