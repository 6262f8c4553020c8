package httpapi

import (
	"net/http"
	"net/url"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// openCareRecord is POST {patientId} → {patientId}: for a front end that shows
// the record by other means. Who may not see it may not open it, either (D17).
func (a *API) openCareRecord(w http.ResponseWriter, r *http.Request, caller commands.Caller) error {
	f, err := readForm(r, caller, "patientId")
	if err != nil {
		return err
	}
	id := f.Patient()
	if err := a.CheckRecord(r.Context(), caller, id); err != nil {
		return err
	}
	if err := f.Err(); err != nil {
		return err
	}
	if err := a.OpenCareRecord(r.Context(), commands.OpenCareRecord{Tenant: caller.Tenant, Patient: id}); err != nil {
		return err
	}
	answer(w, http.StatusOK, map[string]patient.ID{"patientId": id})
	return nil
}

// retrieveCareRecord is GET ?patientId= (D17). That the record was opened is
// stored before anything of it is read (D37).
func (a *API) retrieveCareRecord(w http.ResponseWriter, r *http.Request, caller commands.Caller) error {
	id, err := patientOf(r, caller)
	if err != nil {
		return err
	}
	if err := a.CheckRecord(r.Context(), caller, id); err != nil {
		return err
	}
	if err := a.OpenCareRecord(r.Context(), commands.OpenCareRecord{Tenant: caller.Tenant, Patient: id}); err != nil {
		return err
	}
	found, err := a.CareRecord(r.Context(), caller.Tenant, id)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, careRecordOf(id, found))
	return nil
}

// patientOf is the patient that a query names, once. What cannot be read is
// outside every scope (D17).
func patientOf(r *http.Request, caller commands.Caller) (patient.ID, error) {
	id, refusal := patientIn(r.URL.RawQuery)
	text := id.String()
	if refusal != nil {
		text = ""
	}
	if err := checkPatient(r, caller, text); err != nil {
		return patient.ID{}, err
	}
	if refusal != nil {
		return patient.ID{}, refusal
	}
	return id, nil
}

func patientIn(query string) (patient.ID, *fault.Error) {
	parameters, err := url.ParseQuery(query)
	named := parameters["patientId"]
	switch {
	case err != nil:
		return patient.ID{}, body.ErrInvalidPatientID.With("The query string is malformed.")
	case len(named) > 1:
		return patient.ID{}, body.ErrInvalidPatientID.With("patientId is given more than once.")
	case len(named) == 0 || named[0] == "":
		return patient.ID{}, body.ErrMissingPatientID
	}
	id, ok := body.ParseID(named[0])
	if !ok {
		return patient.ID{}, body.ErrInvalidPatientID
	}
	return patient.ID{UUID: id}, nil
}
