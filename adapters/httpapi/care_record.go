package httpapi

import (
	"net/http"
	"net/url"
	"strings"

	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
)

// openCareRecord is POST {patientId} → {patientId}: for a front end that shows
// the record by other means.
func (a *API) openCareRecord(w http.ResponseWriter, r *http.Request, caller judged, f *fields) error {
	if err := f.err(); err != nil {
		return err
	}
	if err := a.Desk.OpenCareRecord(r.Context(), commands.OpenCareRecord{Tenant: caller.Tenant, Patient: caller.patient}); err != nil {
		return err
	}
	answer(w, http.StatusOK, map[string]patient.ID{"patientId": caller.patient})
	return nil
}

// retrieveCareRecord is GET ?patientId=. That the record was opened is stored
// before anything of it is read (D37).
func (a *API) retrieveCareRecord(w http.ResponseWriter, r *http.Request, caller judged, _ struct{}) error {
	if err := a.Desk.OpenCareRecord(r.Context(), commands.OpenCareRecord{Tenant: caller.Tenant, Patient: caller.patient}); err != nil {
		return err
	}
	found, err := a.CareRecord(r.Context(), caller.Tenant, caller.patient)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, careRecordOf(caller.patient, found))
	return nil
}

// createNote is POST {patientId, note} → {noteId}.
func (a *API) createNote(w http.ResponseWriter, r *http.Request, caller judged, f *fields) error {
	text := f.text("note")
	if strings.TrimSpace(text) == "" {
		f.faults = append(f.faults, record.ErrEmptyNote)
	}
	if err := f.err(); err != nil {
		return err
	}
	id, err := a.Desk.CreateNote(r.Context(), commands.CreateNote{Tenant: caller.Tenant, Patient: caller.patient, Text: text})
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, map[string]record.NoteID{"noteId": id})
	return nil
}

// patientQuery reads the patient that a query names, once.
func patientQuery(_ http.ResponseWriter, r *http.Request, _ access.Caller) (none struct{}, named string, err error) {
	parameters, err := url.ParseQuery(r.URL.RawQuery)
	patients := parameters["patientId"]
	switch {
	case err != nil:
		return none, "", request.ErrInvalidPatientID.With("The query string is malformed.")
	case len(patients) > 1:
		return none, "", request.ErrInvalidPatientID.With("patientId is given more than once.")
	case len(patients) == 0 || patients[0] == "":
		return none, "", request.ErrMissingPatientID
	}
	if _, ok := request.ParsePatientID(patients[0]); !ok {
		return none, "", request.ErrInvalidPatientID
	}
	return none, patients[0], nil
}
