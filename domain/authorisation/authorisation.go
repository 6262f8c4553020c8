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

// Subject is whose authorisation it is, for which application and, if it is
// scoped, for which one patient.
type Subject struct {
	Staff       staff.ID       `json:"staff"`
	Application application.ID `json:"application"`
	Patient     patient.ID     `json:"patient,omitzero"` // zero for a standing authorisation
}

// Scoped reports whether the authorisation is for one patient only (§5.5).
func (s Subject) Scoped() bool { return s.Patient.UUID != uuid.Nil }

// PatientID implements [event.Patient]; it is zero for a standing authorisation.
func (s Subject) PatientID() uuid.UUID { return s.Patient.UUID }

// DefaultLifetime is how long an authorisation lasts unless a deployment says
// otherwise (§8).
const DefaultLifetime = 12 * time.Hour

// Granted says that the application may act for the member of staff.
type Granted struct {
	Subject
	ExpiresAt time.Time `json:"expiresAt"`
}

// Revoked says that it may do so no more.
type Revoked struct {
	Subject
}

// EventName implements [event.Event].
func (Granted) EventName() string { return "user-authorisation.granted.v1" }

// EventName implements [event.Event].
func (Revoked) EventName() string { return "user-authorisation.revoked.v1" }

// Events are the events of this package, for the codec.
func Events() []event.Event { return []event.Event{Granted{}, Revoked{}} }

// ErrNone is the refusal to revoke what is not there.
var ErrNone = fault.New(fault.Missing, "no-authorisation", "There is no current authorisation to revoke.")

// StreamOf is the stream of one authorisation (rule 2: each has its own).
func StreamOf(tenant string, s Subject) event.Stream {
	kind := "standing-authorisation"
	parts := []string{tenant, s.Application.String(), s.Staff.String()}
	if s.Scoped() {
		kind, parts = "patient-scoped-authorisation", append(parts, s.Patient.String())
	}
	return event.Stream{Tenant: tenant, ID: event.DerivedID(kind, parts...)}
}

// Authorisation is what the rules ask about one authorisation.
type Authorisation struct{ expiresAt time.Time }

// Grant is rule 1. It is never refused: whoever asks again gets a new lifetime.
func (a Authorisation) Grant(s Subject, now time.Time, lifetime time.Duration) Granted {
	return Granted{s, now.UTC().Truncate(time.Second).Add(lifetime)}
}

// Revoke is rule 3.
func (a Authorisation) Revoke(s Subject, now time.Time) ([]event.Event, error) {
	if !now.Before(a.expiresAt) {
		return nil, ErrNone
	}
	return []event.Event{Revoked{s}}, nil
}

// Apply implements [event.State].
func (a Authorisation) Apply(e event.Event) Authorisation {
	switch e := e.(type) {
	case Granted:
		a.expiresAt = e.ExpiresAt
	case Revoked:
		a.expiresAt = time.Time{}
	}
	return a
}
