package appointment

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// ID identifies an appointment of one practice; the API calls it appointmentId.
type ID struct{ uuid.UUID }

// Subject is the appointment of an event, its patient and its site at that time. Only a
// move to another site changes any of it.
type Subject struct {
	Appointment ID         `json:"appointment"`
	Patient     patient.ID `json:"patient"`
	Site        site.ID    `json:"site"`
}

// PatientID returns the patient of the event.
func (s Subject) PatientID() uuid.UUID { return s.Patient.UUID }

// EventSubject returns the subject of an event that has it embedded.
func (s Subject) EventSubject() Subject { return s }

// Event is an event of an appointment.
type Event interface {
	event.Patient
	EventSubject() Subject
}

// Booked records that an appointment was booked.
type Booked struct {
	Subject
	At   time.Time `json:"at"` // start of the appointment, UTC
	Plan           // zero in events of before there were plans
}

// Moved records that the appointment moved to another time, another site or both.
type Moved struct {
	Subject           // with the new site
	From    site.ID   `json:"from,omitzero"` // the former site; zero if it is the same
	At      time.Time `json:"at"`            // new start, UTC
}

// Slot returns the site and the start.
func (b Booked) Slot() Slot { return Slot{b.Site, b.At} }

// Slot returns the new site and start.
func (m Moved) Slot() Slot { return Slot{m.Site, m.At} }

// Cancelled records that the appointment was cancelled.
type Cancelled struct {
	Subject
}

// Arrived records that the patient has arrived and waits.
type Arrived struct {
	Subject
	ArrivedAt time.Time `json:"arrivedAt"`   // in milliseconds, UTC
	By        staff.ID  `json:"by,omitzero"` // zero if no member of staff acted
}

// CalledIn records that the patient is called in, for the first time or into another
// room.
type CalledIn struct {
	Subject
	Room       site.RoomID `json:"room,omitzero"` // zero when none is assigned
	CalledInAt time.Time   `json:"calledInAt"`    // in milliseconds, UTC
	By         staff.ID    `json:"by,omitzero"`   // zero if no member of staff acted
}

// CallInRemoved records that the patient is no longer called in.
type CallInRemoved struct {
	Subject
	Reason    Reason    `json:"reason"`
	RemovedAt time.Time `json:"removedAt"` // in milliseconds, UTC
}

// Reason is why a call-in was removed.
type Reason string

// The reasons.
const (
	Cleared             Reason = "cleared" // by hand, also by a move or cancellation
	NotAttended         Reason = "did-not-attend"
	ConsultationStarted Reason = "consultation-started"
)

// DidNotAttend records that the patient was marked as not attending.
type DidNotAttend struct {
	Subject
	MarkedAt time.Time `json:"markedAt"`    // in milliseconds, UTC
	By       staff.ID  `json:"by,omitzero"` // zero if no member of staff acted
}

// Attended records that the appointment's consultation has started. There may be
// several, by one clinician after another.
type Attended struct {
	Subject
}

// EventName returns the name that the event is stored under.
func (Booked) EventName() string { return "appointment.booked.v1" }

// EventName returns the name that the event is stored under.
func (Moved) EventName() string { return "appointment.moved.v1" }

// EventName returns the name that the event is stored under.
func (Cancelled) EventName() string { return "appointment.cancelled.v1" }

// EventName returns the name that the event is stored under.
func (Arrived) EventName() string { return "appointment.arrived.v1" }

// EventName returns the name that the event is stored under.
func (CalledIn) EventName() string { return "appointment.called-in.v1" }

// EventName returns the name that the event is stored under.
func (CallInRemoved) EventName() string { return "appointment.call-in-removed.v1" }

// EventName returns the name that the event is stored under.
func (DidNotAttend) EventName() string { return "appointment.did-not-attend.v1" }

// EventName returns the name that the event is stored under.
func (Attended) EventName() string { return "appointment.attended.v1" }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return Appointment{}.Events() }

// Events returns the events of an appointment's stream.
func (Appointment) Events() []event.Event {
	return []event.Event{Booked{}, Moved{}, Cancelled{}, Arrived{}, CalledIn{}, CallInRemoved{}, DidNotAttend{}, Attended{},
		ArrivalCleared{}, DidNotAttendCleared{}, Planned{}}
}

// StreamOf returns the stream of an appointment.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// The refusals of this package's rules.
var (
	ErrTimeless    = fault.New(fault.Invalid, "missing-appointment-time", "at, the time of the appointment, must be given.")
	ErrInvalidTime = fault.New(fault.Invalid, "invalid-appointment-time", "at, the time of the appointment, must be an RFC 3339 instant.")
	ErrUnknown     = fault.New(fault.Refused, "appointment-not-found", "There is no appointment with this appointmentId.")
	// ErrCancelled is [ErrUnknown] with another sentence: a cancelled appointment can
	// no longer be used.
	ErrCancelled = ErrUnknown.Worded("The appointment with this appointmentId was cancelled.")
	ErrOfAnother = ErrUnknown.Worded("The patient has no appointment with this appointmentId.")
	ErrAttended  = fault.New(fault.Conflict, "appointment-attended",
		"Leave the appointment as it is: its consultation has started.")
	ErrChanged = fault.New(fault.Conflict, "appointment-changed", "Look at the appointment again: someone has changed it.")
	ErrBooked  = fault.New(fault.Conflict, "appointment-booked", "This form has already been used for another booking. Start a new booking.")
)

// Slot is the site and the start of an appointment.
type Slot struct {
	Site site.ID
	At   time.Time
}

// sound returns the slot in UTC. It refuses an instant that RFC 3339 cannot write in
// UTC, because it could not be stored.
func (s Slot) sound() (Slot, error) {
	s.At = s.At.UTC()
	switch {
	case s.At.IsZero():
		return s, ErrTimeless
	case s.At.Year() < 0 || s.At.Year() > 9999:
		return s, ErrInvalidTime
	}
	return s, nil
}

// is compares slots by the microseconds of read models.
func (s Slot) is(other Slot) bool {
	return s.Site == other.Site && s.At.Truncate(time.Microsecond).Equal(other.At.Truncate(time.Microsecond))
}

// Appointment is the state of an appointment that later decisions need.
type Appointment struct {
	subject      Subject // zero before it is booked
	at           time.Time
	plan         Plan
	cancelled    bool
	arrivedAt    time.Time // zero unless the patient has arrived
	calledIn     bool
	room         site.RoomID // of the call-in
	didNotAttend bool
	attended     bool
	last         step
}

// Book books an appointment at a site (rule 1); the caller has made sure that patient,
// site and clinician exist. The same booking again changes nothing.
func (a Appointment) Book(s Subject, at time.Time, plan Plan) ([]event.Event, error) {
	slot, err := Slot{s.Site, at}.sound()
	if err == nil {
		err = plan.check()
	}
	switch {
	case err != nil:
		return nil, err
	case a.subject == (Subject{}):
		return []event.Event{Booked{s, slot.At, plan}}, nil
	case a.cancelled || a.subject.Patient != s.Patient || !a.slot().is(slot) || a.plan != plan:
		return nil, ErrBooked
	}
	return nil, nil
}

// Move moves the appointment, and gives it another plan (rule 5); the caller has made
// sure that site and clinician exist. A zero site is the current one, and so is a nil plan.
// The same slot changes nothing; only another slot ends a call-in.
func (a Appointment) Move(to Slot, plan *Plan, now time.Time) ([]event.Event, error) {
	to, err := to.sound()
	if err != nil {
		return nil, err
	}
	if to.Site == (site.ID{}) {
		to.Site = a.subject.Site
	}
	if plan == nil {
		plan = &a.plan
	}
	if err := cmp.Or(plan.check(), a.Ahead()); err != nil {
		return nil, err
	}
	moved := Moved{Subject: a.subject, At: to.At}
	if moved.Site != to.Site {
		moved.Site, moved.From = to.Site, a.subject.Site
	}
	if a.slot().is(to) {
		return a.replan(a.subject, *plan), nil
	}
	return slices.Concat(a.removed(Cleared, now), []event.Event{moved}, a.replan(moved.Subject, *plan)), nil
}

// Cancel cancels the appointment (rule 5). Cancelling twice changes nothing.
func (a Appointment) Cancel(now time.Time) ([]event.Event, error) {
	if a.cancelled {
		return nil, nil
	}
	if err := a.Ahead(); err != nil {
		return nil, err
	}
	return append(a.removed(Cleared, now), Cancelled{a.subject}), nil
}

// MarkArrived records that the patient has arrived. A patient who has arrived or been
// seen already does not arrive again.
func (a Appointment) MarkArrived(by staff.ID, now time.Time) ([]event.Event, error) {
	if err := a.Known(); err != nil || !a.arrivedAt.IsZero() || a.attended {
		return nil, err
	}
	return []event.Event{Arrived{a.subject, instant(now), by}}, nil
}

// CallIn calls the patient in (rule 2). A zero id means that no room is assigned.
// Otherwise room is the state of the room that id names, and it must be at the
// appointment's site.
func (a Appointment) CallIn(id site.RoomID, room site.Room, by staff.ID, now time.Time) ([]event.Event, error) {
	if err := a.Known(); err != nil {
		return nil, err
	}
	if id != (site.RoomID{}) {
		if err := room.CheckSite(a.subject.Site); err != nil {
			return nil, err
		}
	}
	if a.calledIn && a.room == id {
		return nil, nil
	}
	return []event.Event{CalledIn{a.subject, id, instant(now), by}}, nil
}

// ClearCallIn ends the call-in by hand. Without a call-in it changes nothing.
func (a Appointment) ClearCallIn(now time.Time) ([]event.Event, error) {
	if err := a.Known(); err != nil {
		return nil, err
	}
	return a.removed(Cleared, now), nil
}

// MarkDidNotAttend records that the patient did not come, or left before being seen,
// which ends a call-in. Marking twice changes nothing.
func (a Appointment) MarkDidNotAttend(by staff.ID, now time.Time) ([]event.Event, error) {
	if err := a.Known(); err != nil || a.didNotAttend {
		return nil, err
	}
	return append([]event.Event{DidNotAttend{a.subject, instant(now), by}}, a.removed(NotAttended, now)...), nil
}

// Attend records that a consultation with the appointment's patient has started, which
// ends a call-in. An appointment of another patient is refused like an unknown one.
func (a Appointment) Attend(about patient.ID, now time.Time) ([]event.Event, error) {
	if a.subject == (Subject{}) || a.subject.Patient != about {
		return nil, ErrOfAnother
	}
	if err := a.Known(); err != nil {
		return nil, err
	}
	return append([]event.Event{Attended{a.subject}}, a.removed(ConsultationStarted, now)...), nil
}

// Known returns [ErrUnknown] if the practice has no such appointment, or it was
// cancelled.
func (a Appointment) Known() error {
	switch {
	case a.subject == (Subject{}):
		return ErrUnknown
	case a.cancelled:
		return ErrCancelled
	}
	return nil
}

// Ahead returns a refusal unless the consultation is still to come.
func (a Appointment) Ahead() error {
	if err := a.Known(); err != nil {
		return err
	}
	if a.attended {
		return ErrAttended
	}
	return nil
}

// Apply returns the appointment after the event.
func (a Appointment) Apply(e event.Event) Appointment {
	a.last = a.stepOf(e)
	switch e := e.(type) {
	case Booked:
		a.subject, a.at, a.plan = e.Subject, e.At, e.Plan
	case Planned:
		a.plan = e.Plan
	case Moved:
		a.subject, a.at = e.Subject, e.At
		a.arrivedAt, a.didNotAttend = time.Time{}, false
	case Cancelled:
		a.cancelled = true
	case Arrived:
		a.arrivedAt, a.didNotAttend = e.ArrivedAt, false
	case CalledIn:
		a.calledIn, a.room, a.didNotAttend = true, e.Room, false
	case CallInRemoved:
		a.calledIn, a.room = false, site.RoomID{}
	case DidNotAttend:
		a.arrivedAt, a.didNotAttend = time.Time{}, true
	case ArrivalCleared:
		a.arrivedAt, a.didNotAttend = time.Time{}, e.DidNotAttend
	case DidNotAttendCleared:
		a.arrivedAt, a.didNotAttend = e.ArrivedAt, false
	case Attended:
		a.attended, a.didNotAttend = true, false
	}
	return a
}

func (a Appointment) slot() Slot { return Slot{a.subject.Site, a.at} }

// removed returns the end of the call-in, if there is one.
func (a Appointment) removed(why Reason, now time.Time) []event.Event {
	if !a.calledIn {
		return nil
	}
	return []event.Event{CallInRemoved{a.subject, why, instant(now)}}
}

// instant truncates a time to the milliseconds that webhooks show.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Number names a patient where names are not shown: six digits such as "417 205", which
// stay the same and reveal nothing about the patient. Of twenty people who wait at
// once, two have the same in one of five thousand cases, so staff still ask for the
// name.
func (id ID) Number() string {
	n := binary.BigEndian.Uint64(id.UUID[8:]) % 1_000_000 // the random half of a UUIDv7
	return fmt.Sprintf("%03d %03d", n/1000, n%1000)
}
