package practice

import (
	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// ApplicationEnabled says that the practice lets an application call.
type ApplicationEnabled struct {
	Application application.ID `json:"application"`
}

// ApplicationDisabled says that the practice lets an application call no more.
type ApplicationDisabled struct {
	Application application.ID `json:"application"`
}

// EventName implements [event.Event].
func (ApplicationEnabled) EventName() string { return "practice.application-enabled.v1" }

// EventName implements [event.Event].
func (ApplicationDisabled) EventName() string { return "practice.application-disabled.v1" }

// EnablementStream is the stream of one application's enablement at one
// practice. It is a stream of its own, so that practices and applications do
// not wait for each other.
func EnablementStream(tenant string, app application.ID) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("enablement", tenant, app.String())}
}

// Enablement is whether a practice lets an application call.
type Enablement struct{ enabled bool }

// Enable is rule 2. Enabling twice changes nothing.
func (e Enablement) Enable(app application.ID) ([]event.Event, error) {
	if e.enabled {
		return nil, nil
	}
	return []event.Event{ApplicationEnabled{app}}, nil
}

// Disable is rule 2. Disabling twice changes nothing.
func (e Enablement) Disable(app application.ID) ([]event.Event, error) {
	if !e.enabled {
		return nil, nil
	}
	return []event.Event{ApplicationDisabled{app}}, nil
}

// Apply implements [event.State].
func (e Enablement) Apply(happened event.Event) Enablement {
	switch happened.(type) {
	case ApplicationEnabled:
		e.enabled = true
	case ApplicationDisabled:
		e.enabled = false
	}
	return e
}
