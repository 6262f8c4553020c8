package commands

import (
	"context"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// RegisterApplication registers an external application with the service, once for all
// practices.
type RegisterApplication struct {
	Application   application.ID // zero for a new one
	Name          string
	JWKSURL       string
	Callbacks     []string // URLs for redirects of staff after approval
	PatientScoped bool     // whether staff's authorisations may be limited to one patient
}

// RegisterApplication returns the application's identifier.
func (d Desk) RegisterApplication(ctx context.Context, c RegisterApplication) (application.ID, error) {
	if err := d.CheckURL(c.JWKSURL); err != nil {
		return application.ID{}, err
	}
	register := func(a application.Application) ([]event.Event, error) {
		return a.Register(application.Registration{Name: c.Name, JWKSURL: c.JWKSURL, Callbacks: c.Callbacks, PatientScoped: c.PatientScoped})
	}
	if c.Application.UUID != uuid.Nil {
		if err := application.CheckID(c.Application); err != nil {
			return application.ID{}, err
		}
		return c.Application, Update(ctx, d.Store, application.StreamOf(c.Application), register)
	}
	events, err := register(application.Application{})
	if err != nil {
		return application.ID{}, err
	}
	id := application.ID{UUID: event.NewID()}
	return id, d.begin(ctx, application.StreamOf(id), events...)
}

// SetJWKSURL sets the URL of an application's public keys.
type SetJWKSURL struct {
	Application application.ID
	JWKSURL     string
}

// SetJWKSURL takes effect with the next call.
func (d Desk) SetJWKSURL(ctx context.Context, c SetJWKSURL) error {
	if err := d.CheckURL(c.JWKSURL); err != nil {
		return err
	}
	return d.application(ctx, c.Application, func(a application.Application) ([]event.Event, error) {
		return a.SetJWKSURL(c.JWKSURL)
	})
}

// AddCallback registers another URL for redirects of staff after approval.
type AddCallback struct {
	Application application.ID
	Callback    string
}

// AddCallback changes nothing if the callback is registered already.
func (d Desk) AddCallback(ctx context.Context, c AddCallback) error {
	return d.application(ctx, c.Application, func(a application.Application) ([]event.Event, error) {
		return a.AddCallback(c.Callback)
	})
}

// RemoveCallback removes a URL for redirects of staff after approval.
type RemoveCallback struct {
	Application application.ID
	Callback    string
}

// RemoveCallback changes nothing if the callback is not registered.
func (d Desk) RemoveCallback(ctx context.Context, c RemoveCallback) error {
	return d.application(ctx, c.Application, func(a application.Application) ([]event.Event, error) {
		return a.RemoveCallback(c.Callback)
	})
}

// GrantEndpoint lets an application call one endpoint in one mode.
type GrantEndpoint struct {
	Application application.ID
	Grant       application.Grant
}

// GrantEndpoint takes effect with the next call.
func (d Desk) GrantEndpoint(ctx context.Context, c GrantEndpoint) error {
	if err := access.CheckGrant(c.Grant); err != nil {
		return err
	}
	return d.application(ctx, c.Application, func(a application.Application) ([]event.Event, error) {
		return a.GrantEndpoint(c.Grant)
	})
}

// RevokeEndpoint revokes one endpoint in one mode.
type RevokeEndpoint struct {
	Application application.ID
	Grant       application.Grant
}

// RevokeEndpoint takes effect with the next call.
func (d Desk) RevokeEndpoint(ctx context.Context, c RevokeEndpoint) error {
	if err := access.CheckGrant(c.Grant); err != nil {
		return err
	}
	return d.application(ctx, c.Application, func(a application.Application) ([]event.Event, error) {
		return a.RevokeEndpoint(c.Grant)
	})
}

// MarkPatientScoped marks an application as an integration for which
// patient-scoped authorisations are set up.
type MarkPatientScoped struct{ Application application.ID }

// MarkPatientScoped changes nothing if the application is marked already.
func (d Desk) MarkPatientScoped(ctx context.Context, c MarkPatientScoped) error {
	return d.application(ctx, c.Application, application.Application.MarkPatientScoped)
}

// UnmarkPatientScoped removes the mark of [MarkPatientScoped].
type UnmarkPatientScoped struct{ Application application.ID }

// UnmarkPatientScoped ends no authorisation: granted ones expire.
func (d Desk) UnmarkPatientScoped(ctx context.Context, c UnmarkPatientScoped) error {
	return d.application(ctx, c.Application, application.Application.UnmarkPatientScoped)
}

// SetWebhook sets the URL for an application's webhooks of one event.
type SetWebhook struct {
	Application application.ID
	Event       application.WebhookEvent
	URL         string
}

// SetWebhook takes effect with the next event.
func (d Desk) SetWebhook(ctx context.Context, c SetWebhook) error {
	if err := d.CheckURL(c.URL); err != nil {
		return err
	}
	return d.application(ctx, c.Application, func(a application.Application) ([]event.Event, error) {
		return a.SetWebhook(c.Event, c.URL)
	})
}

// RemoveWebhook stops an application's webhooks of one event.
type RemoveWebhook struct {
	Application application.ID
	Event       application.WebhookEvent
}

// RemoveWebhook also withdraws the deliveries of this kind that are still queued.
func (d Desk) RemoveWebhook(ctx context.Context, c RemoveWebhook) error {
	return d.application(ctx, c.Application, func(a application.Application) ([]event.Event, error) {
		return a.RemoveWebhook(c.Event)
	})
}

// application takes a decision about an application, and appends it.
func (d Desk) application(ctx context.Context, id application.ID,
	decide func(application.Application) ([]event.Event, error),
) error {
	return Update(ctx, d.Store, application.StreamOf(id), decide)
}
