package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// SwitchRequestTypeOff stops a practice from taking requests of a type.
type SwitchRequestTypeOff struct {
	Tenant      string
	RequestType request.Type
}

// SwitchRequestTypeOffHandler handles [SwitchRequestTypeOff].
type SwitchRequestTypeOffHandler struct{ Store Store }

// Handle switches the type off, or returns the rule that refuses it.
func (h SwitchRequestTypeOffHandler) Handle(ctx context.Context, c SwitchRequestTypeOff) error {
	err := updateIntake(ctx, h.Store, c.Tenant, c.RequestType, func(i practice.Intake) ([]event.Event, error) {
		return i.SwitchOff(c.RequestType)
	})
	if err != nil {
		return fmt.Errorf("switch request type off: %w", err)
	}
	return nil
}

// updateIntake changes how a practice takes requests of a type. It refuses
// unless there are both.
func updateIntake(ctx context.Context, store Store, tenant string, typ request.Type,
	decide func(practice.Intake) ([]event.Event, error),
) error {
	err := typ.Known()
	if err == nil {
		err = knowPractice(ctx, store, tenant)
	}
	if err == nil {
		err = Update(ctx, store, practice.IntakeStream(tenant, typ), decide)
	}
	return err
}
