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

// notSaved is the refusal of an action on an appointment that has changed.
const notSaved = "Your change was not saved. Check the latest version below."

// showConflict shows the current appointment, with the actor of the last change and the
// typed values. If the signed-in member has just done the same, it was a double click; if a
// colleague has, and that is as good, a notice says so.
func (s *Section) showConflict(r *pagekit.Request, act act, found projections.Appointment, refusal string) error {
	happened, err := s.Histories.Find(r.Context(), r.Tenant, found.Appointment)
	if err != nil {
		return err
	}
	sites, err := s.Sites.List(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	faults := pagekit.FormErrors{}
	for n := len(happened) - 1; n >= 0 && len(faults.Faults) == 0; n-- {
		switch {
		case !act.done(found, r):
		case r.IsActor(happened[n]):
			return s.redirectAfter(r, found, r.Form.Get("do"))
		case act.shared:
			return s.redirectAfter(r, found, r.Form.Get("do")+"-already")
		}
		what, err := s.eventClause(r, sites, happened[n])
		if err != nil {
			return err
		}
		if what != "" {
			faults = faults.With("facts", what+" at "+s.When(r, happened[n].At)+".")
		}
	}
	return s.show(r, response{status: http.StatusConflict,
		FormErrors: faults.With("facts", refusal)})
}

// showRefusal shows the appointment with the refusal and the typed values.
func (s *Section) showRefusal(r *pagekit.Request, act act, err error) error {
	wrong, isField := errors.AsType[fieldFault](err)
	unsure, isDoubt := errors.AsType[doubts](err)
	refusal, isRule := errors.AsType[*fault.Error](err)
	switch {
	case isDoubt:
		return s.showAsk(r, "move", response{status: http.StatusConflict}, unsure)
	case isField && r.Form.Has("confirmed"):
		return s.showAsk(r, "move", response{status: http.StatusBadRequest, FormErrors: wrong.FormErrors}, doubts{})
	case isField:
		return s.show(r, response{status: http.StatusBadRequest, FormErrors: wrong.FormErrors})
	case errors.Is(err, site.ErrRoomUnknown):
		return s.show(r, response{status: http.StatusBadRequest, FormErrors: pagekit.FormError("room", "Choose a room of this site.")})
	case errors.Is(err, appointment.ErrCancelled), isRule && refusal.Kind == fault.Conflict:
		found, missing := s.find(r)
		if missing != nil {
			return missing
		}
		text := notSaved
		if errors.Is(err, appointment.ErrNoUndo) || errors.Is(err, appointment.ErrUndoOfAnother) || errors.Is(err, appointment.ErrUndoTooLate) {
			text = refusal.Detail
		}
		return s.showConflict(r, act, found, text)
	}
	return err
}
