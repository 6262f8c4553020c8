package application

import "frontdesk/domain/event"

// Registered says that an application is known to the service.
type Registered struct {
	Name    string `json:"name"`
	JWKSURL string `json:"jwksUrl"`
}

// JWKSURLSet says where the application's public keys are from now on.
type JWKSURLSet struct {
	JWKSURL string `json:"jwksUrl"`
}

// CallbackAdded says that staff may be sent to a callback after approval.
type CallbackAdded struct {
	Callback string `json:"callback"`
}

// CallbackRemoved says that staff may be sent there no more.
type CallbackRemoved struct {
	Callback string `json:"callback"`
}

// EndpointGranted says that the application may call an endpoint in a mode.
type EndpointGranted struct {
	Grant
}

// EndpointRevoked says that the application may call it no more.
type EndpointRevoked struct {
	Grant
}

// PatientScopedMarked says that the application is an integration for which
// patient-scoped authorisations are set up (§5.5).
type PatientScopedMarked struct{}

// PatientScopedUnmarked says that it is no such integration any more.
type PatientScopedUnmarked struct{}

// EventName implements [event.Event].
func (Registered) EventName() string { return "application.registered.v1" }

// EventName implements [event.Event].
func (JWKSURLSet) EventName() string { return "application.jwks-url-set.v1" }

// EventName implements [event.Event].
func (CallbackAdded) EventName() string { return "application.callback-added.v1" }

// EventName implements [event.Event].
func (CallbackRemoved) EventName() string { return "application.callback-removed.v1" }

// EventName implements [event.Event].
func (EndpointGranted) EventName() string { return "application.endpoint-granted.v1" }

// EventName implements [event.Event].
func (EndpointRevoked) EventName() string { return "application.endpoint-revoked.v1" }

// EventName implements [event.Event].
func (PatientScopedMarked) EventName() string { return "application.patient-scoped-marked.v1" }

// EventName implements [event.Event].
func (PatientScopedUnmarked) EventName() string { return "application.patient-scoped-unmarked.v1" }

// Events are the events of this package, for the codec.
func Events() []event.Event {
	return []event.Event{
		Registered{}, JWKSURLSet{}, CallbackAdded{}, CallbackRemoved{},
		EndpointGranted{}, EndpointRevoked{}, PatientScopedMarked{}, PatientScopedUnmarked{},
		WebhookSet{}, WebhookRemoved{},
	}
}
