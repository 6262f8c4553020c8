package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

// EnableApplication lets an application call for a practice (§5.6).
type EnableApplication struct {
	Tenant      string
	Application application.ID
}

// EnableApplicationHandler handles [EnableApplication].
type EnableApplicationHandler struct{ Store Store }

// Handle enables the application; again, if it was disabled (D14).
func (h EnableApplicationHandler) Handle(ctx context.Context, c EnableApplication) error {
	err := knowBoth(ctx, h.Store, c.Tenant, c.Application)
	if err == nil {
		stream := practice.EnablementStream(c.Tenant, c.Application)
		err = Update(ctx, h.Store, stream, func(e practice.Enablement) ([]event.Event, error) {
			return e.Enable(c.Application)
		})
	}
	if err != nil {
		return fmt.Errorf("enable application: %w", err)
	}
	return nil
}

// knowBoth refuses unless the practice and the application are registered.
func knowBoth(ctx context.Context, store Store, tenant string, app application.ID) error {
	if err := knowPractice(ctx, store, tenant); err != nil {
		return err
	}
	a, err := Load[application.Application](ctx, store, application.StreamOf(app))
	if err != nil {
		return err
	}
	return a.Known()
}

// knowPractice refuses unless the practice is registered.
func knowPractice(ctx context.Context, store Store, tenant string) error {
	p, err := Load[practice.Practice](ctx, store, practice.StreamOf(tenant))
	if err != nil {
		return err
	}
	return p.Known()
}
