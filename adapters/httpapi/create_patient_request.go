package httpapi

import (
	"net/http"

	"frontdesk/commands"
	"frontdesk/domain/request"
)

// createPatientRequest is §4.1.
func (a *API) createPatientRequest(w http.ResponseWriter, r *http.Request, caller commands.Caller) error {
	tree, err := body(w, r)
	if err := inScope(caller, tree, err); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	submission, err := request.Parse(tree)
	if err != nil {
		return err
	}
	id, err := a.SubmitPatientRequest(r.Context(), commands.SubmitPatientRequest{
		Tenant: caller.Tenant, Submission: submission,
	})
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, map[string]request.ID{"patientRequestId": id})
	return nil
}

// inScope checks the patient of a body against the caller's scope, with the
// one parse that also serves the endpoint. What could not be read fails the
// scope (D1).
func inScope(caller commands.Caller, tree any, unread error) error {
	object, _ := tree.(map[string]any)
	id, _ := object["patientId"].(string)
	if unread != nil {
		id = ""
	}
	return caller.CheckPatient(id)
}
