package httpapi

import (
	"net/http"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/site"
)

// What the bodies around appointments are refused for, beside the codes of
// §7.1.
var (
	errMissingAppointment = body.MissingID("appointment")
	errInvalidAppointment = body.InvalidID("appointment")
	errMissingSite        = body.MissingID("site")
	errInvalidSite        = body.InvalidID("site")
	errInvalidRoom        = body.InvalidID("room")
)

// bookAppointment is POST {patientId, siteId, at} → {appointmentId}.
func (a *API) bookAppointment(w http.ResponseWriter, r *http.Request, caller commands.Caller) error {
	f, err := readForm(r, caller, "patientId", "siteId", "at")
	if err != nil {
		return err
	}
	c := commands.BookAppointment{
		Tenant:  caller.Tenant,
		Patient: f.Patient(),
		Site:    site.ID{UUID: f.ID("siteId", errMissingSite, errInvalidSite)},
		At:      f.Instant("at", appointment.ErrTimeless, appointment.ErrInvalidTime),
	}
	if err := f.Err(); err != nil {
		return err
	}
	id, err := a.BookAppointment(r.Context(), c)
	if err != nil {
		return err
	}
	return answerAppointment(w, id)
}

// callInPatient is POST {appointmentId, roomId?} → {appointmentId}.
func (a *API) callInPatient(w http.ResponseWriter, r *http.Request, caller commands.Caller) error {
	f, err := readForm(r, caller, "appointmentId", "roomId")
	if err != nil {
		return err
	}
	c := commands.CallInPatient{
		Tenant:      caller.Tenant,
		Appointment: appointmentOf(f),
		Room:        site.RoomID{UUID: f.OptionalID("roomId", errInvalidRoom)},
	}
	if err := f.Err(); err != nil {
		return err
	}
	if err := a.CallInPatient(r.Context(), c); err != nil {
		return err
	}
	return answerAppointment(w, c.Appointment)
}

// clearCallIn is POST {appointmentId} → {appointmentId}.
func (a *API) clearCallIn(w http.ResponseWriter, r *http.Request, caller commands.Caller) error {
	id, err := readAppointment(r, caller)
	if err != nil {
		return err
	}
	if err := a.ClearCallIn(r.Context(), commands.ClearCallIn{Tenant: caller.Tenant, Appointment: id}); err != nil {
		return err
	}
	return answerAppointment(w, id)
}

// markDidNotAttend is POST {appointmentId} → {appointmentId}.
func (a *API) markDidNotAttend(w http.ResponseWriter, r *http.Request, caller commands.Caller) error {
	id, err := readAppointment(r, caller)
	if err != nil {
		return err
	}
	if err := a.MarkDidNotAttend(r.Context(), commands.MarkDidNotAttend{Tenant: caller.Tenant, Appointment: id}); err != nil {
		return err
	}
	return answerAppointment(w, id)
}

// readAppointment reads a body that names an appointment and nothing else.
func readAppointment(r *http.Request, caller commands.Caller) (appointment.ID, error) {
	f, err := readForm(r, caller, "appointmentId")
	if err != nil {
		return appointment.ID{}, err
	}
	return appointmentOf(f), f.Err()
}

func appointmentOf(f *body.Form) appointment.ID {
	return appointment.ID{UUID: f.ID("appointmentId", errMissingAppointment, errInvalidAppointment)}
}

func answerAppointment(w http.ResponseWriter, id appointment.ID) error {
	answer(w, http.StatusOK, map[string]appointment.ID{"appointmentId": id})
	return nil
}
