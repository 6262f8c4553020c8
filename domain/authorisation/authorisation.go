package authorisation

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// Subject is the member of staff, the application and, for a scoped authorisation, the
// one patient.
type Subject struct {
	Staff       staff.ID       `json:"staff"`
	Application application.ID `json:"application"`
	Patient     patient.ID     `json:"patient,omitzero"` // zero for a standing authorisation
}

// Scoped reports whether the authorisation is for one patient only.
func (s Subject) Scoped() bool { return s.Patient.UUID != uuid.Nil }

// PatientID returns the patient of a scoped authorisation, and zero for a
// standing one.
func (s Subject) PatientID() uuid.UUID { return s.Patient.UUID }

// DefaultLifetime is the default duration of an authorisation.
const DefaultLifetime = 12 * time.Hour

// Granted records that the application may act for the member of staff.
type Granted struct {
	Subject
	ExpiresAt time.Time `json:"expiresAt"`
}

// Revoked records that it may no longer do so.
type Revoked struct {
	Subject
	Reason Reason `json:"reason,omitempty"`
}

// Reason is the cause of a revocation, if it follows from another act.
type Reason string

// The reasons.
const (
	PasswordReset Reason = "password-reset" // the member of staff was given another password, or a link to choose one
	Left          Reason = "left"           // the member of staff had left, and is reactivated
)

// EventName returns the name that the event is stored under.
func (Granted) EventName() string { return "user-authorisation.granted.v1" }

// EventName returns the name that the event is stored under.
func (Revoked) EventName() string { return "user-authorisation.revoked.v1" }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return Authorisation{}.Events() }

// Events returns the events of an authorisation's stream.
func (Authorisation) Events() []event.Event { return []event.Event{Granted{}, Revoked{}} }

// ErrNone refuses to revoke an authorisation that does not exist or has ended.
var ErrNone = fault.New(fault.Missing, "no-authorisation", "There is no current authorisation to revoke.")

// StreamOf returns the stream of one authorisation. Each has its own (rule 2).
func StreamOf(tenant string, s Subject) event.Stream {
	kind := "standing-authorisation"
	parts := []string{tenant, s.Application.String(), s.Staff.String()}
	if s.Scoped() {
		kind, parts = "patient-scoped-authorisation", append(parts, s.Patient.String())
	}
	return event.Stream{Tenant: tenant, ID: event.DerivedID(kind, parts...)}
}

// Authorisation is the state of one authorisation that later decisions need.
type Authorisation struct{ expiresAt time.Time }

// Grant begins a lifetime at now (rule 1). It is never refused: granting again begins a
// new lifetime.
func (a Authorisation) Grant(s Subject, now time.Time, lifetime time.Duration) Granted {
	return Granted{s, now.UTC().Truncate(time.Second).Add(lifetime)}
}

// Revoke ends the authorisation early (rule 3). An empty reason means a revocation on
// its own.
func (a Authorisation) Revoke(s Subject, now time.Time, why Reason) ([]event.Event, error) {
	if !now.Before(a.expiresAt) {
		return nil, ErrNone
	}
	return []event.Event{Revoked{s, why}}, nil
}

// Apply returns the authorisation after the event.
func (a Authorisation) Apply(e event.Event) Authorisation {
	switch e := e.(type) {
	case Granted:
		a.expiresAt = e.ExpiresAt
	case Revoked:
		a.expiresAt = time.Time{}
	}
	return a
}
