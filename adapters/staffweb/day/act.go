package day

import (
	"net/http"
	"net/url"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/parse"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

// act is an action of staff on an appointment.
type act struct {
	do func(s *Section, r *pagekit.Request, a projections.Appointment, seen int) error
	// done reports whether it has been done, so that a form that was sent twice counts as
	// done.
	done func(a projections.Appointment, r *pagekit.Request) bool
	// shared: the slower of two colleagues gets a notice that it is done, because its author does not matter.
	shared bool
	// onDay refuses it before the day of the appointment: it cannot be undone, and would be
	// a slip.
	onDay bool
	// asks is for an action that cannot be undone: a page asks to confirm it first.
	asks bool
}

// acts are the actions by their names in forms.
var acts = map[string]act{
	"arrived": {
		shared: true,
		do: func(s *Section, r *pagekit.Request, a projections.Appointment, seen int) error {
			return s.Desk.MarkArrived(r.StaffContext(), commands.MarkArrived{Tenant: r.Tenant, Appointment: a.Appointment, Seen: seen})
		},
		done: func(a projections.Appointment, _ *pagekit.Request) bool { return a.ArrivedAt != nil },
	},
	"call-in": {
		do: func(s *Section, r *pagekit.Request, a projections.Appointment, seen int) error {
			return s.Desk.CallInPatient(r.StaffContext(), commands.CallInPatient{Tenant: r.Tenant, Appointment: a.Appointment, Room: readRoom(r), Seen: seen})
		},
		done: func(a projections.Appointment, r *pagekit.Request) bool {
			return a.Status == projections.StatusCalledIn && a.Room == readRoom(r)
		},
	},
	"clear": {
		do: func(s *Section, r *pagekit.Request, a projections.Appointment, seen int) error {
			return s.Desk.ClearCallIn(r.StaffContext(), commands.ClearCallIn{Tenant: r.Tenant, Appointment: a.Appointment, Seen: seen})
		},
		done: hasStatus(projections.StatusBooked),
	},
	"absent": {
		onDay: true,
		do: func(s *Section, r *pagekit.Request, a projections.Appointment, seen int) error {
			return s.Desk.MarkDidNotAttend(r.StaffContext(), commands.MarkDidNotAttend{Tenant: r.Tenant, Appointment: a.Appointment, Seen: seen})
		},
		done: hasStatus(projections.StatusDidNotAttend),
	},
	"start": {
		onDay: true,
		asks:  true,
		do: func(s *Section, r *pagekit.Request, a projections.Appointment, seen int) error {
			_, err := s.Desk.StartConsultation(r.StaffContext(), commands.StartConsultation{
				Tenant: r.Tenant, Patient: a.Patient, Appointment: a.Appointment, Seen: seen, First: true,
			})
			return err
		},
		done: hasStatus(projections.StatusAttended),
	},
	"cancel": {
		asks: true,
		do: func(s *Section, r *pagekit.Request, a projections.Appointment, seen int) error {
			return s.Desk.CancelAppointment(r.StaffContext(), commands.CancelAppointment{Tenant: r.Tenant, Appointment: a.Appointment, Seen: seen})
		},
		done: hasStatus(projections.StatusCancelled),
	},
	"move": {do: (*Section).move, done: isMoved},
	"undo": {
		do: func(s *Section, r *pagekit.Request, a projections.Appointment, seen int) error {
			return s.Desk.UndoAppointmentStep(r.StaffContext(), commands.UndoAppointmentStep{Tenant: r.Tenant, Appointment: a.Appointment, Seen: seen})
		},
		done: isUndone,
	},
}

func hasStatus(status projections.Status) func(projections.Appointment, *pagekit.Request) bool {
	return func(a projections.Appointment, _ *pagekit.Request) bool { return a.Status == status }
}

// act runs an action on an appointment, unless it has changed since the form's page was
// shown (rule 2).
func (s *Section) act(r *pagekit.Request) error {
	if r.Form.Get("do") == "look" { // at another day
		return s.look(r)
	}
	act, known := acts[r.Form.Get("do")]
	if !known {
		return pagekit.ErrUnreadable
	}
	if !r.HasToken(purpose) {
		status, wrong := r.Unsent("facts")
		return s.show(r, response{status: status, FormErrors: wrong})
	}
	seen, found, err := s.load(r)
	if err != nil {
		return err
	}
	if r.Form.Get("seen") != seenOf(found) {
		return s.showConflict(r, act, found, notSaved)
	}
	if act.onDay && s.isEarly(r, found) {
		return s.show(r, response{status: http.StatusBadRequest, FormErrors: pagekit.FormError("facts", "The appointment is on a later day. Move it first, or choose another one.")})
	}
	if act.asks && !r.Form.Has("confirmed") {
		return r.Redirect(askAddress(r, found, r.Form.Get("do")))
	}
	if err := act.do(s, r, found, seen); err != nil {
		return s.showRefusal(r, act, err)
	}
	return s.redirectAfter(r, found, r.Form.Get("do"))
}

// isEarly reports whether the appointment is on a later day at the practice.
func (s *Section) isEarly(r *pagekit.Request, a projections.Appointment) bool {
	day := func(t time.Time) string { return t.In(r.Practice.Zone).Format(time.DateOnly) }
	return day(a.StartsAt) > day(s.Now())
}

// load reads the appointment, after counting its events: an event between this read and
// the append refuses the action.
func (s *Section) load(r *pagekit.Request) (seen int, found projections.Appointment, err error) {
	id, _ := parse.ID(r.PathValue("appointment"))
	if seen, err = commands.Version(r.Context(), s.Desk.Store, appointment.StreamOf(r.Tenant, appointment.ID{UUID: id})); err != nil {
		return seen, found, err
	}
	found, err = s.find(r)
	return seen, found, err
}

// redirectAfter returns to the page that the form was on: the day of the appointment, the
// patient, or its own page, with the word of the action.
func (s *Section) redirectAfter(r *pagekit.Request, was projections.Appointment, word string) error {
	done, from := url.Values{"done": {word}}, r.Form.Get("from")
	switch {
	case from == fromDay:
		if _, can := undoable[word]; can {
			done.Set("undo", was.Appointment.String())
		}
		return r.Redirect(addressOf(r, was.Site, was.StartsAt, readRoom(r), withOf(r)) + "&" + done.Encode() + "#a-" + was.Appointment.String())
	case from == fromPatient && (word == "move" || word == "cancel"):
		return r.Redirect(patientAddress(r, was) + "?" + done.Encode())
	}
	if room := readRoom(r); room != (site.RoomID{}) {
		done.Set("room", room.String())
	}
	return r.Redirect(r.Base() + "/day/" + was.Appointment.String() + "?" + done.Encode())
}
