package appointment

import (
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

// UndoLimit is how long a step can be undone.
const UndoLimit = 30 * time.Second

// ArrivalCleared records that an arrival was undone.
type ArrivalCleared struct {
	Subject
	DidNotAttend bool `json:"didNotAttend,omitempty"` // the patient is marked as not attending again
}

// DidNotAttendCleared records that the mark of not attending was undone. A call-in that
// the mark ended stays ended.
type DidNotAttendCleared struct {
	Subject
	ArrivedAt time.Time `json:"arrivedAt,omitzero"` // of the earlier arrival; zero without one
}

// EventName returns the name that the event is stored under.
func (ArrivalCleared) EventName() string { return "appointment.arrival-cleared.v1" }

// EventName returns the name that the event is stored under.
func (DidNotAttendCleared) EventName() string { return "appointment.did-not-attend-cleared.v1" }

// The refusals of an undo.
var (
	ErrNoUndo        = fault.New(fault.Conflict, "nothing-to-undo", "The last step cannot be undone.")
	ErrUndoOfAnother = fault.New(fault.Conflict, "undo-of-another", "Only the person who took the last step can undo it.")
	ErrUndoTooLate   = fault.New(fault.Conflict, "undo-too-late", "The last step can be undone for 30 seconds only. Nothing has changed.")
)

// step is the last change of an appointment, if it can be undone.
type step struct {
	by   staff.ID
	at   time.Time
	undo event.Event // nil if it cannot
}

// stepOf returns the step that an event is, or that it belongs to.
func (a Appointment) stepOf(e event.Event) step {
	switch e := e.(type) {
	case Arrived:
		return step{e.By, e.ArrivedAt, ArrivalCleared{e.Subject, a.didNotAttend}}
	case CalledIn:
		return step{e.By, e.CalledInAt, CallInRemoved{Subject: e.Subject, Reason: Cleared}}
	case DidNotAttend:
		return step{e.By, e.MarkedAt, DidNotAttendCleared{e.Subject, a.arrivedAt}}
	case CallInRemoved:
		if e.Reason == NotAttended {
			return a.last
		}
	}
	return step{}
}

// Undo takes the last step back (rule 7). It must be an arrival, a call-in or a mark of not
// attending, and of this member of staff in the last [UndoLimit]. A call-in ends as one that
// is cleared.
func (a Appointment) Undo(by staff.ID, now time.Time) ([]event.Event, error) {
	if err := a.Known(); err != nil {
		return nil, err
	}
	switch {
	case a.last.undo == nil:
		return nil, ErrNoUndo
	case by == staff.ID{} || by != a.last.by:
		return nil, ErrUndoOfAnother
	case !now.Before(a.last.at.Add(UndoLimit)):
		return nil, ErrUndoTooLate
	}
	if removed, is := a.last.undo.(CallInRemoved); is {
		removed.RemovedAt = instant(now)
		return []event.Event{removed}, nil
	}
	return []event.Event{a.last.undo}, nil
}
