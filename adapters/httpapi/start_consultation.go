package httpapi

import (
	"net/http"

	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
)

// startConsultation is POST {patientId, appointmentId?} → {consultationId}.
func (a *API) startConsultation(w http.ResponseWriter, r *http.Request, caller commands.Caller) error {
	f, err := readForm(r, caller, "patientId", "appointmentId")
	if err != nil {
		return err
	}
	c := commands.StartConsultation{
		Tenant:      caller.Tenant,
		Patient:     f.Patient(),
		Appointment: appointment.ID{UUID: f.OptionalID("appointmentId", errInvalidAppointment)},
	}
	if err := f.Err(); err != nil {
		return err
	}
	id, err := a.StartConsultation(r.Context(), c)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, map[string]consultation.ID{"consultationId": id})
	return nil
}
