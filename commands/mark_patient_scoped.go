package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// MarkPatientScoped marks an application as an integration for which
// patient-scoped authorisations are set up (§5.5).
type MarkPatientScoped struct {
	Application application.ID
}

// MarkPatientScopedHandler handles [MarkPatientScoped].
type MarkPatientScopedHandler struct{ Store Store }

// Handle marks the application, or returns the rule that refuses it.
func (h MarkPatientScopedHandler) Handle(ctx context.Context, c MarkPatientScoped) error {
	err := Update(ctx, h.Store, application.StreamOf(c.Application), func(a application.Application) ([]event.Event, error) {
		return a.MarkPatientScoped()
	})
	if err != nil {
		return fmt.Errorf("mark patient-scoped: %w", err)
	}
	return nil
}
