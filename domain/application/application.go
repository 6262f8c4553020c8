package application

import (
	"maps"
	"slices"
	"strings"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// The refusals of this package's rules.
var (
	ErrNameless         = fault.New(fault.Invalid, "missing-name", "Give the application a name.")
	ErrExists           = fault.New(fault.Conflict, "application-exists", "An application with this identifier is registered already.")
	ErrReservedID       = fault.New(fault.Invalid, "reserved-application-id", "Choose a random UUID, of version 4 or 7. Those of versions 3 and 5 are made of names, and the service names its own streams by them.")
	ErrUnknown          = fault.New(fault.Missing, "unknown-application", "There is no application with this identifier.")
	ErrNotPatientScoped = fault.New(fault.Refused, "not-patient-scoped",
		"Mark the application as patient-scoped first: only for such an integration are patient-scoped authorisations set up.")
)

// StreamOf is the stream of an application. It belongs to no practice.
func StreamOf(id ID) event.Stream { return event.Stream{ID: id.UUID} }

// CheckID refuses an identifier of an operator that another global stream could have:
// those are derived from names (see event.DerivedID).
func CheckID(id ID) error {
	if version := id.Version(); version == 3 || version == 5 {
		return ErrReservedID
	}
	return nil
}

// Registration is the arguments of [Application.Register]. The caller has checked the
// JWKS URL: each deployment decides which addresses it may fetch.
type Registration struct {
	Name          string
	JWKSURL       string
	Callbacks     []string
	PatientScoped bool
}

// Register begins an application with its callbacks and its mark (rule 1).
func (a Application) Register(r Registration) ([]event.Event, error) {
	name := strings.TrimSpace(r.Name)
	switch {
	case a.registered:
		return nil, ErrExists
	case name == "":
		return nil, ErrNameless
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

// Application is the state of an application that later decisions need.
type Application struct {
	registered    bool
	jwksURL       string
	callbacks     []string
	grants        []Grant
	patientScoped bool
	webhooks      map[WebhookEvent]string // their addresses
}

// SetJWKSURL sets the URL of the application's keys.
func (a Application) SetJWKSURL(url string) ([]event.Event, error) {
	return a.change(a.jwksURL != url, JWKSURLSet{url})
}

// GrantEndpoint lets the application call one endpoint in one mode.
func (a Application) GrantEndpoint(g Grant) ([]event.Event, error) {
	return a.change(!slices.Contains(a.grants, g), EndpointGranted{g})
}

// RevokeEndpoint revokes one grant.
func (a Application) RevokeEndpoint(g Grant) ([]event.Event, error) {
	return a.change(slices.Contains(a.grants, g), EndpointRevoked{g})
}

// MarkPatientScoped makes the application one for which patient-scoped
// authorisations can be set up.
func (a Application) MarkPatientScoped() ([]event.Event, error) {
	return a.change(!a.patientScoped, PatientScopedMarked{})
}

// UnmarkPatientScoped removes the mark.
func (a Application) UnmarkPatientScoped() ([]event.Event, error) {
	return a.change(a.patientScoped, PatientScopedUnmarked{})
}

// change returns e if the application is known and e would change it (rule 5).
func (a Application) change(different bool, e event.Event) ([]event.Event, error) {
	if err := a.Known(); err != nil || !different {
		return nil, err
	}
	return []event.Event{e}, nil
}

// Known returns [ErrUnknown] if the application does not exist.
func (a Application) Known() error {
	if !a.registered {
		return ErrUnknown
	}
	return nil
}

// TakesPatientScope returns [ErrNotPatientScoped] if no patient-scoped
// authorisation may be set up for the application.
func (a Application) TakesPatientScope() error {
	if err := a.Known(); err != nil {
		return err
	}
	if !a.patientScoped {
		return ErrNotPatientScoped
	}
	return nil
}

// Apply returns the application after the event.
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
