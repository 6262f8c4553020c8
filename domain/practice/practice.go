package practice

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// DefaultTimeZone is the default time zone of a practice.
const DefaultTimeZone = "Europe/London"

// Registered records that a practice was registered with the service.
type Registered struct {
	Name     string `json:"name"`
	TimeZone string `json:"timeZone"` // IANA
}

// EventName returns the name that the event is stored under.
func (Registered) EventName() string { return "practice.registered.v1" }

// The refusals of rule 1.
var (
	ErrInvalidTenant = fault.New(fault.Invalid, "invalid-tenant",
		"A tenant identifier must be 1 to 63 characters of a-z, 0-9 and -, and must not begin with -.")
	ErrNameless        = fault.New(fault.Invalid, "missing-name", "Give the practice a name.")
	ErrUnknownTimeZone = fault.New(fault.Invalid, "unknown-time-zone", "The time zone must be an IANA name such as Europe/London.")
	ErrTenantTaken     = fault.New(fault.Conflict, "tenant-taken", "A practice with this tenant identifier exists already.")
	ErrUnknown         = fault.New(fault.Missing, "unknown-practice", "There is no practice with this tenant identifier.")
)

// CheckTenant returns [ErrInvalidTenant] for an invalid tenant identifier.
func CheckTenant(tenant string) error {
	if !tenantForm.MatchString(tenant) {
		return ErrInvalidTenant
	}
	return nil
}

var tenantForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// StreamOf returns the stream of a tenant's practice.
func StreamOf(tenant string) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("practice", tenant)}
}

// Practice is the state of a practice that later decisions need.
type Practice struct {
	registered bool
	name       string
}

// Register makes a practice a tenant (rule 1). An empty time zone means
// [DefaultTimeZone].
func (p Practice) Register(tenant, name, timeZone string) ([]event.Event, error) {
	if timeZone == "" {
		timeZone = DefaultTimeZone
	}
	name = strings.TrimSpace(name)
	switch {
	case CheckTenant(tenant) != nil:
		return nil, ErrInvalidTenant
	case name == "":
		return nil, ErrNameless
	case !isTimeZone(timeZone):
		return nil, ErrUnknownTimeZone
	case p.registered:
		return nil, ErrTenantTaken
	}
	return []event.Event{Registered{name, timeZone}}, nil
}

func isTimeZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "Local"
}

// Known returns [ErrUnknown] if the practice does not exist.
func (p Practice) Known() error {
	if !p.registered {
		return ErrUnknown
	}
	return nil
}

// Name is the practice's name.
func (p Practice) Name() string { return p.name }

// Apply returns the practice after the event.
func (p Practice) Apply(e event.Event) Practice {
	if e, ok := e.(Registered); ok {
		p.registered, p.name = true, e.Name
	}
	return p
}

// ApplicationEnabled records that the practice allows an application to call.
type ApplicationEnabled struct {
	Application application.ID `json:"application"`
}

// ApplicationDisabled records that it no longer does.
type ApplicationDisabled struct {
	Application application.ID `json:"application"`
}

// EventName returns the name that the event is stored under.
func (ApplicationEnabled) EventName() string { return "practice.application-enabled.v1" }

// EventName returns the name that the event is stored under.
func (ApplicationDisabled) EventName() string { return "practice.application-disabled.v1" }

// EnablementStream returns the stream of one application's enablement at one practice.
// Practices and applications do not wait for each other, because each pair has its own
// stream.
func EnablementStream(tenant string, app application.ID) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("enablement", tenant, app.String())}
}

// Enablement is whether a practice allows an application to call.
type Enablement struct{ enabled bool }

// Enable lets the application call (rule 2). Enabling twice changes nothing.
func (e Enablement) Enable(app application.ID) ([]event.Event, error) {
	if e.enabled {
		return nil, nil
	}
	return []event.Event{ApplicationEnabled{app}}, nil
}

// Disable stops the application (rule 2). Disabling twice changes nothing.
func (e Enablement) Disable(app application.ID) ([]event.Event, error) {
	if !e.enabled {
		return nil, nil
	}
	return []event.Event{ApplicationDisabled{app}}, nil
}

// Enabled reports whether the practice allows the application to call.
func (e Enablement) Enabled() bool { return e.enabled }

// Apply returns the enablement after the event.
func (e Enablement) Apply(happened event.Event) Enablement {
	switch happened.(type) {
	case ApplicationEnabled:
		e.enabled = true
	case ApplicationDisabled:
		e.enabled = false
	}
	return e
}

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event {
	return slices.Concat(Practice{}.Events(), Enablement{}.Events(), Intake{}.Events(), Closures{}.Events(), Information{}.Events(), NoteTemplates{}.Events())
}

// Events returns the events of a practice's stream.
func (Practice) Events() []event.Event { return []event.Event{Registered{}} }

// Events returns the events of an enablement's stream.
func (Enablement) Events() []event.Event {
	return []event.Event{ApplicationEnabled{}, ApplicationDisabled{}}
}
