package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// UnmarkPatientScoped ends an application's being such an integration. What was
// granted runs out by itself.
type UnmarkPatientScoped struct {
	Application application.ID
}

// UnmarkPatientScopedHandler handles [UnmarkPatientScoped].
type UnmarkPatientScopedHandler struct{ Store Store }

// Handle unmarks the application, or returns the rule that refuses it.
func (h UnmarkPatientScopedHandler) Handle(ctx context.Context, c UnmarkPatientScoped) error {
	err := Update(ctx, h.Store, application.StreamOf(c.Application), func(a application.Application) ([]event.Event, error) {
		return a.UnmarkPatientScoped()
	})
	if err != nil {
		return fmt.Errorf("unmark patient-scoped: %w", err)
	}
	return nil
}
