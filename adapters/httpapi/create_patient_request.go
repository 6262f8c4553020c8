package httpapi

import (
	"errors"
	"net/http"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

// createPatientRequest is §4.1.
func (a *API) createPatientRequest(w http.ResponseWriter, r *http.Request, caller commands.Caller) error {
	tree, hash, err := a.requestBody(r, caller)
	if err := inScope(r, caller, tree, err); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	idempotency, err := idempotencyOf(r, caller, hash)
	if err != nil {
		return err
	}
	submission, err := request.Parse(tree)
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

// requestBody is the tree of a body and its SHA-256. The body's files are
// stored, under no time limit but that of each part; when the call has been
// answered, those that no request names are forgotten again.
func (a *API) requestBody(r *http.Request, caller commands.Caller) (tree any, hash event.Digest, err error) {
	raw, err := rawBody(r)
	if err != nil {
		return nil, hash, err
	}
	call := callOf(r.Context())
	body := &RequestBody{Tenant: caller.Tenant, Uploads: a.Uploads, text: &call.text, upload: &call.upload}
	tree, err = body.Read(call.connection, raw)
	if len(body.stored) > 0 {
		call.after = append(call.after, body.Close)
	}
	return tree, raw.sum(), err
}

// inScope checks the patient of a body against the caller's scope, with the
// one parse that also serves the endpoint. What could not be read fails the
// scope (D1), unless the reason is ours.
func inScope(r *http.Request, caller commands.Caller, tree any, unread error) error {
	refusal, refused := errors.AsType[*fault.Error](unread)
	if unread != nil && (!refused || refusal.Kind == fault.Unavailable) {
		return unread
	}
	object, _ := tree.(map[string]any)
	id, _ := object["patientId"].(string)
	if unread != nil {
		id = ""
	}
	return checkPatient(r, caller, id)
}
