package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
)

// ClearCallIn clears an appointment's called-in status by hand (§6.1).
type ClearCallIn struct {
	Tenant      string
	Appointment appointment.ID
}

// ClearCallInHandler handles [ClearCallIn].
type ClearCallInHandler struct {
	Store Store
	Now   Clock
}

// Handle clears the call-in, or returns the rule that refuses it. Where there
// is none, nothing changes (D33).
func (h ClearCallInHandler) Handle(ctx context.Context, c ClearCallIn) error {
	stream := appointment.StreamOf(c.Tenant, c.Appointment)
	err := Update(ctx, h.Store, stream, func(a appointment.Appointment) ([]event.Event, error) {
		return a.ClearCallIn(h.Now())
	})
	if err != nil {
		return fmt.Errorf("clear call-in: %w", err)
	}
	return nil
}
