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
	Password      string // "" for none yet: they cannot sign in
}

// RegisterStaffHandler handles [RegisterStaff].
type RegisterStaffHandler struct {
	Store     Store
	Passwords Passwords // nil where nobody is registered with a password
}

// Handle registers the member of staff and returns their identifier. A taken
// username is refused by the store, with staff.ErrUsernameTaken.
func (h RegisterStaffHandler) Handle(ctx context.Context, c RegisterStaff) (staff.ID, error) {
	id := staff.ID{UUID: event.NewID()}
	err := knowPractice(ctx, h.Store, c.Tenant)
	if err == nil {
		err = h.register(ctx, id, c)
	}
	if err != nil {
		return staff.ID{}, fmt.Errorf("register staff: %w", err)
	}
	return id, nil
}

func (h RegisterStaffHandler) register(ctx context.Context, id staff.ID, c RegisterStaff) error {
	events, err := staff.Member{}.Register(staff.Registered{
		Username: c.Username, Name: c.Name, Email: c.Email, Administrator: c.Administrator,
	})
	if err == nil && c.Password != "" {
		var set event.Event
		set, err = h.passwordSet(ctx, id, c)
		events = append(events, set)
	}
	if err == nil { // the stream is new by its id
		_, err = h.Store.Append(ctx, event.Change{Stream: staff.StreamOf(c.Tenant, id), Events: events})
	}
	return err
}

func (h RegisterStaffHandler) passwordSet(ctx context.Context, id staff.ID, c RegisterStaff) (event.Event, error) {
	if err := staff.CheckPassword(c.Username, c.Password); err != nil {
		return nil, err
	}
	credential, err := h.Passwords.Keep(ctx, c.Tenant, id, c.Password)
	return staff.PasswordSet{Credential: credential}, err
}
