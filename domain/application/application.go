package application

import (
	"maps"
	"slices"
	"strings"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// What the rules refuse.
var (
	ErrNameless         = fault.New(fault.Invalid, "missing-name", "An application needs a name.")
	ErrExists           = fault.New(fault.Conflict, "application-exists", "The application is registered already.")
	ErrUnknown          = fault.New(fault.Missing, "unknown-application", "There is no such application.")
	ErrNotPatientScoped = fault.New(fault.Refused, "not-patient-scoped",
		"The application is not an integration for which patient-scoped authorisations are set up.")
)

// StreamOf is the stream of an application. It belongs to no practice.
func StreamOf(id ID) event.Stream { return event.Stream{ID: id.UUID} }

// Application is what the rules ask about an application.
type Application struct {
	registered    bool
	jwksURL       string
	callbacks     []string
	grants        []Grant
	patientScoped bool
	webhooks      map[WebhookEvent]string // their addresses
}

// Registration is what an application is registered with. The JWKS URL was
// judged before: which addresses may be fetched is the deployment's matter (D9).
type Registration struct {
	Name          string
	JWKSURL       string
	Callbacks     []string
	PatientScoped bool
}

// Register is rule 1.
func (a Application) Register(r Registration) ([]event.Event, error) {
	name := strings.TrimSpace(r.Name)
	switch {
	case name == "":
		return nil, ErrNameless
	case a.registered:
		return nil, ErrExists
	}
	events := []event.Event{Registered{name, r.JWKSURL}}
	for i, callback := range r.Callbacks {
		if err := CheckCallback(callback); err != nil {
			return nil, err
		}
		if !slices.Contains(r.Callbacks[:i], callback) {
			events = append(events, CallbackAdded{callback})
		}
	}
	if r.PatientScoped {
		events = append(events, PatientScopedMarked{})
	}
	return events, nil
}

// SetJWKSURL moves the application's keys (D8: at once).
func (a Application) SetJWKSURL(url string) ([]event.Event, error) {
	return a.change(a.jwksURL != url, JWKSURLSet{url})
}

// AddCallback is rule 3.
func (a Application) AddCallback(callback string) ([]event.Event, error) {
	if err := CheckCallback(callback); err != nil {
		return nil, err
	}
	return a.change(!slices.Contains(a.callbacks, callback), CallbackAdded{callback})
}

// RemoveCallback undoes AddCallback.
func (a Application) RemoveCallback(callback string) ([]event.Event, error) {
	return a.change(slices.Contains(a.callbacks, callback), CallbackRemoved{callback})
}

// GrantEndpoint is rule 2.
func (a Application) GrantEndpoint(g Grant) ([]event.Event, error) {
	return a.change(!slices.Contains(a.grants, g), EndpointGranted{g})
}

// RevokeEndpoint undoes GrantEndpoint.
func (a Application) RevokeEndpoint(g Grant) ([]event.Event, error) {
	return a.change(slices.Contains(a.grants, g), EndpointRevoked{g})
}

// MarkPatientScoped is rule 4.
func (a Application) MarkPatientScoped() ([]event.Event, error) {
	return a.change(!a.patientScoped, PatientScopedMarked{})
}

// UnmarkPatientScoped undoes MarkPatientScoped.
func (a Application) UnmarkPatientScoped() ([]event.Event, error) {
	return a.change(a.patientScoped, PatientScopedUnmarked{})
}

// change decides e for a known application, if it would change anything.
func (a Application) change(different bool, e event.Event) ([]event.Event, error) {
	if err := a.Known(); err != nil || !different {
		return nil, err
	}
	return []event.Event{e}, nil
}

// Known refuses with [ErrUnknown] when there is no such application.
func (a Application) Known() error {
	if !a.registered {
		return ErrUnknown
	}
	return nil
}

// TakesPatientScope refuses with [ErrNotPatientScoped] when no patient-scoped
// authorisation may be set up for the application (§5.5).
func (a Application) TakesPatientScope() error {
	if err := a.Known(); err != nil {
		return err
	}
	if !a.patientScoped {
		return ErrNotPatientScoped
	}
	return nil
}

// Apply implements [event.State].
func (a Application) Apply(e event.Event) Application {
	switch e := e.(type) {
	case Registered:
		a.registered, a.jwksURL = true, e.JWKSURL
	case JWKSURLSet:
		a.jwksURL = e.JWKSURL
	case CallbackAdded:
		a.callbacks = append(slices.Clone(a.callbacks), e.Callback)
	case CallbackRemoved:
		a.callbacks = without(a.callbacks, e.Callback)
	case EndpointGranted:
		a.grants = append(slices.Clone(a.grants), e.Grant)
	case EndpointRevoked:
		a.grants = without(a.grants, e.Grant)
	case PatientScopedMarked:
		a.patientScoped = true
	case PatientScopedUnmarked:
		a.patientScoped = false
	case WebhookSet:
		a.webhooks = a.webhooksWith(e.Event, e.URL)
	case WebhookRemoved:
		a.webhooks = a.webhooksWith(e.Event, "")
	}
	return a
}

func (a Application) webhooksWith(kind WebhookEvent, address string) map[WebhookEvent]string {
	webhooks := map[WebhookEvent]string{}
	maps.Copy(webhooks, a.webhooks)
	webhooks[kind] = address
	return webhooks
}

func without[T comparable](items []T, item T) []T {
	return slices.DeleteFunc(slices.Clone(items), func(other T) bool { return other == item })
}
