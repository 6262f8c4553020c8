package commands

import (
	"context"
	"fmt"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// PauseRequestType stops a practice from taking requests of a type for a while
// (D23).
type PauseRequestType struct {
	Tenant      string
	RequestType request.Type
	Until       time.Time // exclusive; zero: until it is resumed
}

// PauseRequestTypeHandler handles [PauseRequestType].
type PauseRequestTypeHandler struct {
	Store Store
	Now   Clock
}

// Handle pauses the type, or returns the rule that refuses it.
func (h PauseRequestTypeHandler) Handle(ctx context.Context, c PauseRequestType) error {
	err := updateIntake(ctx, h.Store, c.Tenant, c.RequestType, func(i practice.Intake) ([]event.Event, error) {
		return i.Pause(c.RequestType, c.Until, h.Now())
	})
	if err != nil {
		return fmt.Errorf("pause request type: %w", err)
	}
	return nil
}
