package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
)

// MarkDidNotAttend says that an appointment's patient did not attend, which
// ends a call-in (§6.1).
type MarkDidNotAttend struct {
	Tenant      string
	Appointment appointment.ID
}

// MarkDidNotAttendHandler handles [MarkDidNotAttend].
type MarkDidNotAttendHandler struct {
	Store Store
	Now   Clock
}

// Handle marks the appointment, or returns the rule that refuses it.
func (h MarkDidNotAttendHandler) Handle(ctx context.Context, c MarkDidNotAttend) error {
	stream := appointment.StreamOf(c.Tenant, c.Appointment)
	err := Update(ctx, h.Store, stream, func(a appointment.Appointment) ([]event.Event, error) {
		return a.MarkDidNotAttend(h.Now())
	})
	if err != nil {
		return fmt.Errorf("mark did not attend: %w", err)
	}
	return nil
}
