package httpapi

import (
	"net/http"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/site"
)

// The refusals of identifiers in the bodies about appointments.
var (
	errMissingAppointment = body.MissingID("appointment")
	errInvalidAppointment = body.InvalidID("appointment")
	errMissingSite        = body.MissingID("site")
	errInvalidSite        = body.InvalidID("site")
	errInvalidRoom        = body.InvalidID("room")
)

func (a *API) appointments() table {
	return table{
		access.BookAppointment:   a.post(members("patientId", "siteId", "at"), a.bookAppointment),
		access.CallInPatient:     a.post(members("appointmentId", "roomId"), a.callInPatient),
		access.ClearCallIn:       a.post(members("appointmentId"), a.clearCallIn),
		access.MarkDidNotAttend:  a.post(members("appointmentId"), a.markDidNotAttend),
		access.StartConsultation: a.post(members("patientId", "appointmentId"), a.startConsultation),
	}
}

// bookAppointment is POST {patientId, siteId, at} → {appointmentId}.
func (a *API) bookAppointment(r *http.Request, caller judged, f *body.Form) (any, error) {
	c := commands.BookAppointment{
		Tenant:  caller.Tenant,
		Patient: caller.patient,
		Site:    site.ID{UUID: f.ID("siteId", errMissingSite, errInvalidSite)},
		At:      f.Instant("at", appointment.ErrTimeless, appointment.ErrInvalidTime),
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	id, err := caller.desk.BookAppointment(r.Context(), c)
	if err != nil {
		return nil, err
	}
	return appointmentAnswer(id)
}

// callInPatient is POST {appointmentId, roomId?} → {appointmentId}.
func (a *API) callInPatient(r *http.Request, caller judged, f *body.Form) (any, error) {
	c := commands.CallInPatient{
		Tenant:      caller.Tenant,
		Appointment: appointmentOf(f),
		Room:        site.RoomID{UUID: f.OptionalID("roomId", errInvalidRoom)},
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if err := caller.desk.CallInPatient(r.Context(), c); err != nil {
		return nil, err
	}
	return appointmentAnswer(c.Appointment)
}

// clearCallIn is POST {appointmentId} → {appointmentId}.
func (a *API) clearCallIn(r *http.Request, caller judged, f *body.Form) (any, error) {
	id := appointmentOf(f)
	if err := f.Err(); err != nil {
		return nil, err
	}
	if err := caller.desk.ClearCallIn(r.Context(), commands.ClearCallIn{Tenant: caller.Tenant, Appointment: id}); err != nil {
		return nil, err
	}
	return appointmentAnswer(id)
}

// markDidNotAttend is POST {appointmentId} → {appointmentId}.
func (a *API) markDidNotAttend(r *http.Request, caller judged, f *body.Form) (any, error) {
	id := appointmentOf(f)
	if err := f.Err(); err != nil {
		return nil, err
	}
	if err := caller.desk.MarkDidNotAttend(r.Context(), commands.MarkDidNotAttend{Tenant: caller.Tenant, Appointment: id}); err != nil {
		return nil, err
	}
	return appointmentAnswer(id)
}

// startConsultation is POST {patientId, appointmentId?} → {consultationId}.
func (a *API) startConsultation(r *http.Request, caller judged, f *body.Form) (any, error) {
	c := commands.StartConsultation{
		Tenant:      caller.Tenant,
		Patient:     caller.patient,
		Appointment: appointment.ID{UUID: f.OptionalID("appointmentId", errInvalidAppointment)},
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	id, err := caller.desk.StartConsultation(r.Context(), c)
	if err != nil {
		return nil, err
	}
	return map[string]consultation.ID{"consultationId": id}, nil
}

func appointmentOf(f *body.Form) appointment.ID {
	return appointment.ID{UUID: f.ID("appointmentId", errMissingAppointment, errInvalidAppointment)}
}

func appointmentAnswer(id appointment.ID) (any, error) {
	return map[string]appointment.ID{"appointmentId": id}, nil
}
