package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// RegisterApplication makes an external application known, once for all
// practices (§5.6).
type RegisterApplication struct {
	Name          string
	JWKSURL       string
	Callbacks     []string // where staff may be sent after approval (D25)
	PatientScoped bool     // an integration with patient-scoped authorisations (§5.5)
}

// CheckURL refuses an address that this deployment would never fetch from
// (D9). The refusal is a *fault.Error.
type CheckURL func(rawURL string) error

// RegisterApplicationHandler handles [RegisterApplication].
type RegisterApplicationHandler struct {
	Store    Store
	CheckURL CheckURL
}

// Handle registers the application and returns the identifier minted for it.
func (h RegisterApplicationHandler) Handle(ctx context.Context, c RegisterApplication) (application.ID, error) {
	id := application.ID{UUID: event.NewID()}
	err := h.CheckURL(c.JWKSURL)
	if err == nil {
		err = Update(ctx, h.Store, application.StreamOf(id), func(a application.Application) ([]event.Event, error) {
			return a.Register(application.Registration{
				Name: c.Name, JWKSURL: c.JWKSURL, Callbacks: c.Callbacks, PatientScoped: c.PatientScoped,
			})
		})
	}
	if err != nil {
		return application.ID{}, fmt.Errorf("register application: %w", err)
	}
	return id, nil
}
