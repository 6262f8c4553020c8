package day

import (
	"errors"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/appointment"
	"frontdesk/domain/fault"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

// tooLate shows the current appointment, with the actor of the last change and the
// typed values. If the signed-in member has just done the same, it was a double click.
func (s *Section) tooLate(v *pagekit.Visit, act act, found projections.Appointment) error {
	happened, err := s.Appointments.History(v.Context(), v.Tenant, found.Appointment)
	if err != nil {
		return err
	}
	sites, err := s.Sites.Of(v.Context(), v.Tenant)
	if err != nil {
		return err
	}
	faults := pagekit.Faulty{}
	for n := len(happened) - 1; n >= 0 && len(faults.Faults) == 0; n-- {
		if v.Did(happened[n]) && act.done(found, v) {
			return s.after(v, found)
		}
		if what := eventClause(v, sites, happened[n]); what != "" {
			faults = faults.With("facts", what+" at "+s.When(v, happened[n].At)+".")
		}
	}
	return s.show(v, response{status: http.StatusConflict,
		Faulty: faults.With("facts", "Look at the appointment again: nothing that you did has been saved.")})
}

// refuse shows the appointment with the refusal and the typed values.
func (s *Section) refuse(v *pagekit.Visit, act act, err error) error {
	wrong, isField := errors.AsType[fieldFault](err)
	refusal, isRule := errors.AsType[*fault.Error](err)
	switch {
	case isField:
		return s.show(v, response{status: http.StatusBadRequest, Faulty: wrong.Faulty})
	case errors.Is(err, site.ErrRoomUnknown):
		return s.show(v, response{status: http.StatusBadRequest, Faulty: pagekit.Wrong("room", "Choose a room of this site.")})
	case errors.Is(err, appointment.ErrCancelled), isRule && refusal.Kind == fault.Conflict:
		found, err := s.find(v)
		if err != nil {
			return err
		}
		return s.tooLate(v, act, found)
	}
	return err
}
