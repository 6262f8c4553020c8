package day

import (
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/parse"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

// act is an action of staff on an appointment.
type act struct {
	do func(s *Section, v *pagekit.Request, a projections.Appointment, seen int) error
	// done reports whether it has been done, so that a form that was sent twice counts as
	// done.
	done func(a projections.Appointment, v *pagekit.Request) bool
}

// acts are the actions by their names in forms.
var acts = map[string]act{
	"arrived": {
		func(s *Section, v *pagekit.Request, a projections.Appointment, seen int) error {
			return s.Desk.MarkArrived(v.StaffContext(), commands.MarkArrived{Tenant: v.Tenant, Appointment: a.Appointment, Seen: seen})
		},
		func(a projections.Appointment, _ *pagekit.Request) bool { return a.ArrivedAt != nil },
	},
	"call-in": {
		func(s *Section, v *pagekit.Request, a projections.Appointment, seen int) error {
			return s.Desk.CallInPatient(v.StaffContext(), commands.CallInPatient{Tenant: v.Tenant, Appointment: a.Appointment, Room: readRoom(v), Seen: seen})
		},
		func(a projections.Appointment, v *pagekit.Request) bool {
			return a.Status == projections.StatusCalledIn && a.Room == readRoom(v)
		},
	},
	"clear": {
		func(s *Section, v *pagekit.Request, a projections.Appointment, seen int) error {
			return s.Desk.ClearCallIn(v.StaffContext(), commands.ClearCallIn{Tenant: v.Tenant, Appointment: a.Appointment, Seen: seen})
		},
		hasStatus(projections.StatusBooked),
	},
	"absent": {
		func(s *Section, v *pagekit.Request, a projections.Appointment, seen int) error {
			return s.Desk.MarkDidNotAttend(v.StaffContext(), commands.MarkDidNotAttend{Tenant: v.Tenant, Appointment: a.Appointment, Seen: seen})
		},
		hasStatus(projections.StatusDidNotAttend),
	},
	"start": {
		func(s *Section, v *pagekit.Request, a projections.Appointment, seen int) error {
			_, err := s.Desk.StartConsultation(v.StaffContext(), commands.StartConsultation{
				Tenant: v.Tenant, Patient: a.Patient, Appointment: a.Appointment, Seen: seen, First: true,
			})
			return err
		},
		hasStatus(projections.StatusAttended),
	},
	"cancel": {
		func(s *Section, v *pagekit.Request, a projections.Appointment, seen int) error {
			return s.Desk.CancelAppointment(v.StaffContext(), commands.CancelAppointment{Tenant: v.Tenant, Appointment: a.Appointment, Seen: seen})
		},
		hasStatus(projections.StatusCancelled),
	},
	"move": {(*Section).move, isMoved},
}

func hasStatus(status projections.Status) func(projections.Appointment, *pagekit.Request) bool {
	return func(a projections.Appointment, _ *pagekit.Request) bool { return a.Status == status }
}

// act runs an action on an appointment, unless it has changed since the form's page was
// shown (rule 2).
func (s *Section) act(v *pagekit.Request) error {
	act, known := acts[v.Form.Get("do")]
	if !known {
		return pagekit.ErrUnreadable
	}
	if !v.HasToken(purpose) {
		return s.show(v, response{status: http.StatusForbidden, FormErrors: pagekit.FormError("facts", pagekit.SignedInAgain)})
	}
	seen, found, err := s.load(v)
	if err != nil {
		return err
	}
	if v.Form.Get("seen") != seenOf(found) {
		return s.showConflict(v, act, found)
	}
	if err := act.do(s, v, found, seen); err != nil {
		return s.showRefusal(v, act, err)
	}
	return s.redirectAfter(v, found)
}

// load reads the appointment, after counting its events: an event between this read and
// the append refuses the action.
func (s *Section) load(v *pagekit.Request) (seen int, found projections.Appointment, err error) {
	id, _ := parse.ID(v.PathValue("appointment"))
	if seen, err = commands.Seen(v.Context(), s.Desk.Store, appointment.StreamOf(v.Tenant, appointment.ID{UUID: id})); err != nil {
		return seen, found, err
	}
	found, err = s.find(v)
	return seen, found, err
}

// redirectAfter returns to the day of the appointment, or to its own page if the form was
// there.
func (s *Section) redirectAfter(v *pagekit.Request, was projections.Appointment) error {
	done := "done=" + v.Form.Get("do")
	if v.Form.Get("from") == "day" {
		return v.Redirect(addressOf(v, was.Site, was.StartsAt, readRoom(v)) + "&" + done + "#a-" + was.Appointment.String())
	}
	if room := readRoom(v); room != (site.RoomID{}) {
		done += "&room=" + room.String()
	}
	return v.Redirect(v.Base() + "/day/" + was.Appointment.String() + "?" + done)
}
