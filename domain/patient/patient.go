package patient

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
	"frontdesk/domain/staff"
)

// ID identifies a patient of one practice.
type ID struct{ uuid.UUID }

// Registered records a new patient of the practice.
type Registered struct {
	Patient   ID     `json:"patient"`
	Name      string `json:"name" personal:"patient"`
	BirthDate string `json:"birthDate,omitempty" personal:"patient"` // 2006-01-02
}

// DetailsChanged records a patient's new details: all of them, so that readers need no
// earlier events.
type DetailsChanged struct {
	Patient   ID     `json:"patient"`
	Name      string `json:"name" personal:"patient"`
	BirthDate string `json:"birthDate,omitempty" personal:"patient"` // 2006-01-02; "" if it is unknown
}

// RecordRestricted records that only these staff may see the patient's record from now
// on. If the list is empty, no one may.
type RecordRestricted struct {
	Patient ID         `json:"patient"`
	Staff   []staff.ID `json:"staff"`
}

// RestrictionLifted records that the record is no longer restricted.
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

// PatientID returns the patient of the event.
func (r Registered) PatientID() uuid.UUID { return r.Patient.UUID }

// PatientID returns the patient of the event.
func (d DetailsChanged) PatientID() uuid.UUID { return d.Patient.UUID }

// PatientID returns the patient of the event.
func (r RecordRestricted) PatientID() uuid.UUID { return r.Patient.UUID }

// PatientID returns the patient of the event.
func (r RestrictionLifted) PatientID() uuid.UUID { return r.Patient.UUID }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return Patient{}.Events() }

// Events returns the events of a patient's stream.
func (Patient) Events() []event.Event {
	return []event.Event{
		Registered{}, DetailsChanged{}, ContactDetailsSet{}, RecordRestricted{}, RestrictionLifted{},
		ErasureRequested{}, ErasureWithdrawn{}, ErasureHeld{}, ErasureHoldLifted{}, Erased{},
	}
}

// The refusals of this package's rules.
var (
	ErrNameless         = fault.New(fault.Invalid, "missing-name", "Give the patient a name.")
	ErrInvalidBirthDate = fault.New(fault.Invalid, "invalid-birth-date", "Write the birth date as year, month and day, such as 1980-02-29.")
	ErrImpossibleBirth  = fault.New(fault.Invalid, "impossible-birth-date", "Check the date of birth: it is in the future or more than 130 years ago.")
	ErrExists           = fault.New(fault.Conflict, "patient-exists", "A patient with this identifier is registered already.")
	ErrErased           = fault.New(fault.Conflict, "patient-erased", "This identifier belonged to a patient who was erased. Register the patient with another one.")
	ErrChanged          = fault.New(fault.Conflict, "patient-changed", "Look at the patient again: someone has changed something about them.")
	ErrUnknown          = fault.New(fault.Refused, "patient-not-found", "There is no patient with this patientId.")
)

// StreamOf returns the stream of a patient of a tenant. The same identifier may belong
// to another patient elsewhere, so the stream also depends on the tenant.
func StreamOf(tenant string, id ID) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("patient", tenant, id.String())}
}

// Patient is the state of a patient that later decisions need.
type Patient struct {
	registered bool
	restricted bool
	allowed    []staff.ID
	erasure    erasure.State
}

// Register registers a patient (rule 1). An empty birth date means that it is unknown.
func (p Patient) Register(id ID, name, birthDate string, now time.Time) ([]event.Event, error) {
	name, err := details(name, birthDate)
	if err != nil {
		return nil, err
	}
	if err := CheckBirth(birthDate, now); err != nil {
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

// ChangeDetails replaces the patient's name and birth date (rule 3). It cannot compare
// them with the former ones, because no state holds them.
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

// details validates a name, which it returns without surrounding space, and a birth
// date.
func details(name, birthDate string) (string, error) {
	name, err := parse.Name(name)
	switch {
	case err != nil:
		return "", err
	case name == "", name == event.Hidden, name == event.Erased: // placeholders for names that are not shown
		return "", ErrNameless
	case birthDate != "" && !isDate(birthDate):
		return "", ErrInvalidBirthDate
	}
	return name, nil
}

// longestLife is the age in years that no patient has.
const longestLife = 130

// CheckBirth refuses a birth date that no patient can have: one that has not begun
// anywhere on earth, or one of too long ago. An empty one is unknown.
func CheckBirth(date string, now time.Time) error {
	if date == "" {
		return nil
	}
	newest, oldest := now.UTC().Add(14*time.Hour), now.UTC().AddDate(-longestLife, 0, 0)
	if date > newest.Format(time.DateOnly) || date < oldest.Format(time.DateOnly) {
		return ErrImpossibleBirth
	}
	return nil
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

// Known returns [ErrUnknown] if the practice has no such patient, or has erased them:
// so no answer reveals who was erased.
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

// Apply returns the patient after the event.
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
