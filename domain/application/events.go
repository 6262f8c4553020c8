package application

import (
	"slices"

	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// ID identifies a registered application: the `iss` of its tokens.
type ID struct{ uuid.UUID }

// Mode is the way in which an application calls.
type Mode string

// The two modes.
const (
	ApplicationRestricted Mode = "application-restricted" // for itself: sub = iss
	UserRestricted        Mode = "user-restricted"        // for a member of staff: sub is their username
)

// EndpointName is the name of an operation of the Transactional API. Package access has
// the catalogue of them.
type EndpointName string

// Grant allows one endpoint in one mode, written `<endpoint>:<mode>`.
type Grant struct {
	Endpoint EndpointName `json:"endpoint"`
	Mode     Mode         `json:"mode"`
}

// String returns the grant in the form `<endpoint>:<mode>`.
func (g Grant) String() string { return string(g.Endpoint) + ":" + string(g.Mode) }

// Registered records that an application was registered with the service.
type Registered struct {
	Name    string `json:"name"`
	JWKSURL string `json:"jwksUrl"`
}

// JWKSURLSet records the new URL of the application's public keys.
type JWKSURLSet struct {
	JWKSURL string `json:"jwksUrl"`
}

// CallbackAdded records that staff may be redirected to a callback after approval.
type CallbackAdded struct {
	Callback string `json:"callback"`
}

// CallbackRemoved records that staff may no longer be redirected there.
type CallbackRemoved struct {
	Callback string `json:"callback"`
}

// EndpointGranted records that the application may call an endpoint in a mode.
type EndpointGranted struct {
	Grant
}

// EndpointRevoked records that the application may no longer call it.
type EndpointRevoked struct {
	Grant
}

// PatientScopedMarked records that the application is an integration for which
// patient-scoped authorisations can be set up.
type PatientScopedMarked struct{}

// PatientScopedUnmarked records that it is no longer such an integration.
type PatientScopedUnmarked struct{}

// EventName returns the name that the event is stored under.
func (Registered) EventName() string { return "application.registered.v1" }

// EventName returns the name that the event is stored under.
func (JWKSURLSet) EventName() string { return "application.jwks-url-set.v1" }

// EventName returns the name that the event is stored under.
func (CallbackAdded) EventName() string { return "application.callback-added.v1" }

// EventName returns the name that the event is stored under.
func (CallbackRemoved) EventName() string { return "application.callback-removed.v1" }

// EventName returns the name that the event is stored under.
func (EndpointGranted) EventName() string { return "application.endpoint-granted.v1" }

// EventName returns the name that the event is stored under.
func (EndpointRevoked) EventName() string { return "application.endpoint-revoked.v1" }

// EventName returns the name that the event is stored under.
func (PatientScopedMarked) EventName() string { return "application.patient-scoped-marked.v1" }

// EventName returns the name that the event is stored under.
func (PatientScopedUnmarked) EventName() string { return "application.patient-scoped-unmarked.v1" }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return slices.Concat(Application{}.Events(), Asked{}.Events()) }

// Events returns the events of an application's stream.
func (Application) Events() []event.Event {
	return []event.Event{
		Registered{}, JWKSURLSet{}, CallbackAdded{}, CallbackRemoved{},
		EndpointGranted{}, EndpointRevoked{}, PatientScopedMarked{}, PatientScopedUnmarked{},
		WebhookSet{}, WebhookRemoved{},
	}
}
