package httpapi

import (
	"net/http"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/request"
)

// createPatientRequest is §4.1.
func (a *API) createPatientRequest(w http.ResponseWriter, r *http.Request, caller commands.Caller) error {
	form, err := a.readWithFiles(r, caller)
	if err != nil {
		return err
	}
	idempotency, err := idempotencyOf(r, caller, form.Digest)
	if err != nil {
		return err
	}
	submission, err := form.PatientRequest()
	if err != nil {
		return err
	}
	ctx, cancel := a.afresh(r.Context())
	defer cancel()
	id, err := a.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{
		Tenant: caller.Tenant, Submission: submission, Idempotency: idempotency,
	})
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, map[string]request.ID{"patientRequestId": id})
	return nil
}

// readWithFiles reads a body whose files are stored, under no time limit but
// that of each part; when the call has been answered, those that no request
// names are forgotten again.
func (a *API) readWithFiles(r *http.Request, caller commands.Caller) (*body.Form, error) {
	call := callOf(r.Context())
	files := &body.Files{Tenant: caller.Tenant, Uploads: a.Uploads, Text: call.text, Upload: call.upload}
	form, err := files.ReadCall(call.connection, r)
	if files.Stored() {
		call.after = append(call.after, files.Close)
	}
	if err != nil {
		return nil, err
	}
	if err := inScope(r, caller, form); err != nil {
		return nil, err
	}
	return form, nil
}
