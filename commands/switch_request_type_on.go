package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// SwitchRequestTypeOn lets a practice take requests of a type again.
type SwitchRequestTypeOn struct {
	Tenant      string
	RequestType request.Type
}

// SwitchRequestTypeOnHandler handles [SwitchRequestTypeOn].
type SwitchRequestTypeOnHandler struct{ Store Store }

// Handle switches the type on, or returns the rule that refuses it.
func (h SwitchRequestTypeOnHandler) Handle(ctx context.Context, c SwitchRequestTypeOn) error {
	err := updateIntake(ctx, h.Store, c.Tenant, c.RequestType, func(i practice.Intake) ([]event.Event, error) {
		return i.SwitchOn(c.RequestType)
	})
	if err != nil {
		return fmt.Errorf("switch request type on: %w", err)
	}
	return nil
}
