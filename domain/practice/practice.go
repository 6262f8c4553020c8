package practice

import (
	"regexp"
	"strings"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// DefaultTimeZone is the zone of a practice that names none (D23).
const DefaultTimeZone = "Europe/London"

// Registered says that a practice uses the service from now on.
type Registered struct {
	Name     string `json:"name"`
	TimeZone string `json:"timeZone"` // IANA
}

// EventName implements [event.Event].
func (Registered) EventName() string { return "practice.registered.v1" }

// What the rules refuse.
var (
	ErrInvalidTenant = fault.New(fault.Invalid, "invalid-tenant",
		"A tenant identifier is 1 to 63 characters of a-z, 0-9 and -, and does not begin with -.")
	ErrNameless        = fault.New(fault.Invalid, "missing-name", "A practice needs a name.")
	ErrUnknownTimeZone = fault.New(fault.Invalid, "unknown-time-zone", "The time zone is no IANA name such as Europe/London.")
	ErrTenantTaken     = fault.New(fault.Conflict, "tenant-taken", "A practice with this tenant identifier exists already.")
	ErrUnknown         = fault.New(fault.Missing, "unknown-practice", "There is no practice with this tenant identifier.")
)

var tenantForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// StreamOf is the stream of a tenant's practice.
func StreamOf(tenant string) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("practice", tenant)}
}

// Practice is what the rules ask about a practice.
type Practice struct{ registered bool }

// Register is rule 1. An empty time zone means [DefaultTimeZone].
func (p Practice) Register(tenant, name, timeZone string) ([]event.Event, error) {
	if timeZone == "" {
		timeZone = DefaultTimeZone
	}
	name = strings.TrimSpace(name)
	switch {
	case !tenantForm.MatchString(tenant):
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

// Known refuses with [ErrUnknown] when there is no such practice.
func (p Practice) Known() error {
	if !p.registered {
		return ErrUnknown
	}
	return nil
}

// Apply implements [event.State].
func (p Practice) Apply(e event.Event) Practice {
	if _, ok := e.(Registered); ok {
		p.registered = true
	}
	return p
}
