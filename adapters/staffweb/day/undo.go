package day

import (
	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// undoable are the actions that can be undone.
var undoable = map[string]struct {
	by   event.Event // undoes it
	done func(projections.Appointment) bool
}{
	"arrived": {appointment.ArrivalCleared{}, func(a projections.Appointment) bool {
		return a.ArrivedAt == nil && a.Status != projections.StatusAttended
	}},
	"call-in": {appointment.CallInRemoved{}, isBooked},
	"absent":  {appointment.DidNotAttendCleared{}, isBooked},
}

func isBooked(a projections.Appointment) bool { return a.Status == projections.StatusBooked }

// isUndone reports whether the action that the form undoes is undone.
func isUndone(a projections.Appointment, r *pagekit.Request) bool {
	undo, known := undoable[r.Form.Get("step")]
	return known && undo.done(a)
}

// undoForm is the form that undoes an action, below the notice about it.
type undoForm struct {
	row
	Step string // the action
	// From and Room are those of the page, and Address is that of the appointment.
	From, Room, Token, Address string
}

// undoOf is the form that undoes the action in the address; nil if the member may not.
func (s *Section) undoOf(r *pagekit.Request, from string, of row) (*undoForm, error) {
	step := r.Form.Get("done")
	undo, known := undoable[step]
	if !known {
		return nil, nil
	}
	a, err := commands.Load[appointment.Appointment](r.Context(), s.Desk.Store, appointment.StreamOf(r.Tenant, of.ID))
	if err != nil {
		return nil, err
	}
	if events, err := a.Undo(r.Session.Staff, s.Now()); err == nil && events[0].EventName() == undo.by.EventName() {
		return &undoForm{of, step, from, r.Form.Get("room"), r.Token(purpose), r.Base() + "/day/" + of.ID.String()}, nil
	}
	return nil, nil // another step has followed, or too much time has passed
}
