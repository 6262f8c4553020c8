package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

// DisableApplication stops an application from calling for a practice (§5.6).
// It holds for the very next call (D15).
type DisableApplication struct {
	Tenant      string
	Application application.ID
}

// DisableApplicationHandler handles [DisableApplication].
type DisableApplicationHandler struct{ Store Store }

// Handle disables the application, or returns the rule that refuses it.
func (h DisableApplicationHandler) Handle(ctx context.Context, c DisableApplication) error {
	err := knowBoth(ctx, h.Store, c.Tenant, c.Application)
	if err == nil {
		stream := practice.EnablementStream(c.Tenant, c.Application)
		err = Update(ctx, h.Store, stream, func(e practice.Enablement) ([]event.Event, error) {
			return e.Disable(c.Application)
		})
	}
	if err != nil {
		return fmt.Errorf("disable application: %w", err)
	}
	return nil
}
