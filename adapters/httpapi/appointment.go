package httpapi

import (
	"net/http"

	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/site"
)

// What the bodies around appointments are refused for, beside the codes of
// §7.1.
var (
	errMissingAppointment = missingID("appointment")
	errInvalidAppointment = invalidID("appointment")
	errMissingSite        = missingID("site")
	errInvalidSite        = invalidID("site")
	errInvalidRoom        = invalidID("room")
)

// bookAppointment is POST {patientId, siteId, at} → {appointmentId}.
func (a *API) bookAppointment(w http.ResponseWriter, r *http.Request, caller commands.Caller) error {
	f, err := readForm(w, r, caller, "patientId", "siteId", "at")
	if err != nil {
		return err
	}
	c := commands.BookAppointment{
		Tenant:  caller.Tenant,
		Patient: f.patient(),
		Site:    site.ID{UUID: f.id("siteId", errMissingSite, errInvalidSite)},
		At:      f.instant("at", appointment.ErrTimeless, appointment.ErrInvalidTime),
	}
	if err := f.err(); err != nil {
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
	f, err := readForm(w, r, caller, "appointmentId", "roomId")
	if err != nil {
		return err
	}
	c := commands.CallInPatient{
		Tenant:      caller.Tenant,
		Appointment: f.appointment(),
		Room:        site.RoomID{UUID: f.optionalID("roomId", errInvalidRoom)},
	}
	if err := f.err(); err != nil {
		return err
	}
	if err := a.CallInPatient(r.Context(), c); err != nil {
		return err
	}
	return answerAppointment(w, c.Appointment)
}

// clearCallIn is POST {appointmentId} → {appointmentId}.
func (a *API) clearCallIn(w http.ResponseWriter, r *http.Request, caller commands.Caller) error {
	id, err := readAppointment(w, r, caller)
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
	id, err := readAppointment(w, r, caller)
	if err != nil {
		return err
	}
	if err := a.MarkDidNotAttend(r.Context(), commands.MarkDidNotAttend{Tenant: caller.Tenant, Appointment: id}); err != nil {
		return err
	}
	return answerAppointment(w, id)
}

// readAppointment reads a body that names an appointment and nothing else.
func readAppointment(w http.ResponseWriter, r *http.Request, caller commands.Caller) (appointment.ID, error) {
	f, err := readForm(w, r, caller, "appointmentId")
	if err != nil {
		return appointment.ID{}, err
	}
	return f.appointment(), f.err()
}

func (f *form) appointment() appointment.ID {
	return appointment.ID{UUID: f.id("appointmentId", errMissingAppointment, errInvalidAppointment)}
}

func answerAppointment(w http.ResponseWriter, id appointment.ID) error {
	answer(w, http.StatusOK, map[string]appointment.ID{"appointmentId": id})
	return nil
}
