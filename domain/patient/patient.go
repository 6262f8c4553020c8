package patient

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

// ID identifies a patient of one practice.
type ID struct{ uuid.UUID }

// Registered says that somebody is a patient of the practice.
type Registered struct {
	Patient   ID     `json:"patient"`
	Name      string `json:"name" personal:"patient"`
	BirthDate string `json:"birthDate,omitempty" personal:"patient"` // 2006-01-02
}

// DetailsChanged says what a patient's details are from now on: all of them, so that
// nobody has to look for the rest in earlier events.
type DetailsChanged struct {
	Patient   ID     `json:"patient"`
	Name      string `json:"name" personal:"patient"`
	BirthDate string `json:"birthDate,omitempty" personal:"patient"` // 2006-01-02; "" if it is unknown
}

// RecordRestricted says that only these staff may see the patient's record from
// now on. If there are none, nobody may.
type RecordRestricted struct {
	Patient ID         `json:"patient"`
	Staff   []staff.ID `json:"staff"`
}

// RestrictionLifted says that the record is not restricted any more.
type RestrictionLifted struct {
	Patient ID `json:"patient"`
}

// EventName returns the name that the event is stored under.
func (Registered) EventName() string { return "patient.registered.v1" }

// EventName returns the name that the event is stored under.
func (DetailsChanged) EventName() string { return "patient.details-changed.v1" }

// EventName returns the name that the event is stored under.
func (RecordRestricted) EventName() string { return "patient.record-restricted.v1" }

// EventName returns the name that the event is stored under.
func (RestrictionLifted) EventName() string { return "patient.restriction-lifted.v1" }

// PatientID returns the patient whom the event is about.
func (r Registered) PatientID() uuid.UUID { return r.Patient.UUID }

// PatientID returns the patient whom the event is about.
func (d DetailsChanged) PatientID() uuid.UUID { return d.Patient.UUID }

// PatientID returns the patient whom the event is about.
func (r RecordRestricted) PatientID() uuid.UUID { return r.Patient.UUID }

// PatientID returns the patient whom the event is about.
func (r RestrictionLifted) PatientID() uuid.UUID { return r.Patient.UUID }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return Patient{}.Events() }

// Events returns the events of a patient's stream.
func (Patient) Events() []event.Event {
	return []event.Event{
		Registered{}, DetailsChanged{}, RecordRestricted{}, RestrictionLifted{},
		ErasureRequested{}, ErasureWithdrawn{}, ErasureHeld{}, ErasureHoldLifted{}, Erased{},
	}
}

// The refusals of this package's rules.
var (
	ErrNameless         = fault.New(fault.Invalid, "missing-name", "Give the patient a name.")
	ErrInvalidBirthDate = fault.New(fault.Invalid, "invalid-birth-date", "Write the birth date as year, month and day, such as 1980-02-29.")
	ErrExists           = fault.New(fault.Conflict, "patient-exists", "A patient with this identifier is registered already.")
	ErrErased           = fault.New(fault.Conflict, "patient-erased", "This identifier belonged to somebody who was erased. Register the patient with another one.")
	ErrChanged          = fault.New(fault.Conflict, "patient-changed", "Look at the patient again: somebody has changed something about them.")
	ErrUnknown          = fault.New(fault.Refused, "patient-not-found", "There is no patient with this patientId.")
)

// StreamOf returns the stream of a patient of a tenant. The same identifier may
// mean another patient elsewhere, so the stream depends on the tenant, too.
func StreamOf(tenant string, id ID) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("patient", tenant, id.String())}
}

// Patient is what later decisions need to know of a patient.
type Patient struct {
	registered bool
	restricted bool
	allowed    []staff.ID
	erasure    erasure.State
}

// Register makes somebody a patient (rule 1). An empty birth date means that it
// is unknown.
func (p Patient) Register(id ID, name, birthDate string) ([]event.Event, error) {
	name, err := details(name, birthDate)
	if err != nil {
		return nil, err
	}
	switch {
	case p.erasure.Erased():
		return nil, ErrErased
	case p.registered:
		return nil, ErrExists
	}
	return []event.Event{Registered{id, name, birthDate}}, nil
}

// ChangeDetails replaces the patient's name and birth date (rule 3). It cannot tell
// whether they are the same as before, because no state holds them.
func (p Patient) ChangeDetails(id ID, name, birthDate string) ([]event.Event, error) {
	name, err := details(name, birthDate)
	if err != nil {
		return nil, err
	}
	if err := p.Known(); err != nil {
		return nil, err
	}
	return []event.Event{DetailsChanged{id, name, birthDate}}, nil
}

// details judges a name, which it returns without the space around it, and a birth
// date.
func details(name, birthDate string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "", name == event.Hidden, name == event.Erased: // these stand for names that are not shown
		return "", ErrNameless
	case birthDate != "" && !isDate(birthDate):
		return "", ErrInvalidBirthDate
	}
	return name, nil
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// RestrictRecord lets only these staff see the record (rule 2).
func (p Patient) RestrictRecord(id ID, allowed []staff.ID) ([]event.Event, error) {
	if err := p.Known(); err != nil {
		return nil, err
	}
	if p.restricted && slices.Equal(p.allowed, allowed) {
		return nil, nil
	}
	return []event.Event{RecordRestricted{id, allowed}}, nil
}

// LiftRestriction lets all staff see the record again (rule 2).
func (p Patient) LiftRestriction(id ID) ([]event.Event, error) {
	if err := p.Known(); err != nil || !p.restricted {
		return nil, err
	}
	return []event.Event{RestrictionLifted{id}}, nil
}

// Known returns [ErrUnknown] if the practice has no such patient, or has erased them: so
// nobody can ask who was erased.
func (p Patient) Known() error {
	if !p.registered || p.erasure.Erased() {
		return ErrUnknown
	}
	return nil
}

// ClosedTo reports whether the record is restricted to staff other than one (rule 2).
func (p Patient) ClosedTo(member staff.ID) (closed bool, err error) {
	return p.restricted && !slices.Contains(p.allowed, member), p.Known()
}

// Apply returns the patient as it is after the event.
func (p Patient) Apply(e event.Event) Patient {
	switch e := e.(type) {
	case Registered:
		p.registered = true
	case RecordRestricted:
		p.restricted, p.allowed = true, e.Staff
	case RestrictionLifted:
		p.restricted, p.allowed = false, nil
	case ErasureRequested:
		p.erasure = p.erasure.Requested(e.Request)
	case ErasureWithdrawn:
		p.erasure = p.erasure.Withdrawn()
	case ErasureHeld:
		p.erasure = p.erasure.Held(e.Hold)
	case ErasureHoldLifted:
		p.erasure = p.erasure.Lifted(e.Hold)
	case Erased:
		p.erasure = p.erasure.Completed(e.Done)
	}
	return p
}
