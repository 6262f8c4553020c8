package day

import (
	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/projections"
)

// undoable are the actions that can be undone, and whether that has been done.
var undoable = map[string]func(projections.Appointment) bool{
	"arrived": func(a projections.Appointment) bool {
		return a.ArrivedAt == nil && a.Status != projections.StatusAttended
	},
	"call-in": func(a projections.Appointment) bool { return a.Status == projections.StatusBooked },
	"absent":  func(a projections.Appointment) bool { return a.Status == projections.StatusBooked },
}

// isUndone reports whether the action that the form undoes is undone.
func isUndone(a projections.Appointment, r *pagekit.Request) bool {
	undone, known := undoable[r.Form.Get("step")]
	return known && undone(a)
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
	if undoable[step] == nil {
		return nil, nil
	}
	a, err := commands.Load[appointment.Appointment](r.Context(), s.Desk.Store, appointment.StreamOf(r.Tenant, of.ID))
	if err != nil {
		return nil, err
	}
	if a.CheckUndo(r.Session.Staff, s.Now()) != nil {
		return nil, nil
	}
	return &undoForm{of, step, from, r.Form.Get("room"), r.Token(purpose), r.Base() + "/day/" + of.ID.String()}, nil
}
