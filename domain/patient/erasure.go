package patient

import (
	"github.com/google/uuid"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
)

// ErasureRequested records a request for the patient's erasure.
type ErasureRequested struct {
	Patient ID `json:"patient"`
	erasure.Request
}

// ErasureWithdrawn records that the request was withdrawn.
type ErasureWithdrawn struct {
	Patient ID `json:"patient"`
	erasure.Withdrawal
}

// ErasureHeld records that the patient must not be erased for now.
type ErasureHeld struct {
	Patient ID `json:"patient"`
	erasure.Hold
}

// ErasureHoldLifted records that this hold has ended.
type ErasureHoldLifted struct {
	Patient ID `json:"patient"`
	erasure.Hold
}

// Erased records that the patient was erased. It is the last event about them.
type Erased struct {
	Patient ID `json:"patient"`
	erasure.Done
}

// EventName returns the name that the event is stored under.
func (ErasureRequested) EventName() string { return "patient.erasure-requested.v1" }

// EventName returns the name that the event is stored under.
func (ErasureWithdrawn) EventName() string { return "patient.erasure-withdrawn.v1" }

// EventName returns the name that the event is stored under.
func (ErasureHeld) EventName() string { return "patient.erasure-held.v1" }

// EventName returns the name that the event is stored under.
func (ErasureHoldLifted) EventName() string { return "patient.erasure-hold-lifted.v1" }

// EventName returns the name that the event is stored under.
func (Erased) EventName() string { return "patient.erased.v1" }

// PatientID returns the patient of the event.
func (e ErasureRequested) PatientID() uuid.UUID { return e.Patient.UUID }

// PatientID returns the patient of the event.
func (e ErasureWithdrawn) PatientID() uuid.UUID { return e.Patient.UUID }

// PatientID returns the patient of the event.
func (e ErasureHeld) PatientID() uuid.UUID { return e.Patient.UUID }

// PatientID returns the patient of the event.
func (e ErasureHoldLifted) PatientID() uuid.UUID { return e.Patient.UUID }

// PatientID returns the patient of the event.
func (e Erased) PatientID() uuid.UUID { return e.Patient.UUID }

// RequestedErasure returns the request that waits for a second person, or a zero one.
func (p Patient) RequestedErasure() erasure.Request { return p.erasure.Request() }

// RequestErasure requests the patient's erasure (rule 5).
func (p Patient) RequestErasure(id ID, r erasure.Request) ([]event.Event, error) {
	if err := p.Known(); err != nil {
		return nil, err
	}
	if err := p.erasure.MayRequest(r); err != nil {
		return nil, err
	}
	return []event.Event{ErasureRequested{id, r}}, nil
}

// WithdrawErasure ends a request (rule 5).
func (p Patient) WithdrawErasure(id uuid.UUID, w erasure.Withdrawal) ([]event.Event, error) {
	if err := p.Known(); err != nil {
		return nil, err
	}
	if err := p.erasure.MayWithdraw(w); err != nil {
		return nil, err
	}
	return []event.Event{ErasureWithdrawn{ID{id}, w}}, nil
}

// HoldErasure keeps the patient from being erased (rule 5).
func (p Patient) HoldErasure(id ID, h erasure.Hold) ([]event.Event, error) {
	if err := p.Known(); err != nil {
		return nil, err
	}
	if err := p.erasure.MayHold(h); err != nil {
		return nil, err
	}
	return []event.Event{ErasureHeld{id, h}}, nil
}

// LiftErasureHold ends a hold (rule 5).
func (p Patient) LiftErasureHold(id ID, h erasure.Hold) ([]event.Event, error) {
	if err := p.Known(); err != nil {
		return nil, err
	}
	if err := p.erasure.MayLift(h); err != nil {
		return nil, err
	}
	return []event.Event{ErasureHoldLifted{id, h}}, nil
}

// ConfirmErasure erases the patient, the holder of these keys (rules 4 and 5). It changes
// nothing if this erasure is done.
func (p Patient) ConfirmErasure(id uuid.UUID, c erasure.Confirmation, keys []erasure.Key) ([]event.Event, error) {
	if p.erasure.ErasedBy(c.Erasure) {
		return nil, nil
	}
	if err := p.Known(); err != nil {
		return nil, err
	}
	done, err := p.erasure.Confirm(c, keys)
	if err != nil {
		return nil, err
	}
	return []event.Event{Erased{ID{id}, done}}, nil
}

// EraseAgain erases a patient that a restored backup has brought back (rule 6), even an
// unknown one. It changes nothing if they are erased.
func (p Patient) EraseAgain(id uuid.UUID, done erasure.Done) []event.Event {
	if p.erasure.Erased() {
		return nil
	}
	return []event.Event{Erased{ID{id}, done}}
}
