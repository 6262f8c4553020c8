package httpapi

import (
	"net/http"

	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
)

// patientRequest is the body of a patient request, not judged yet.
type patientRequest struct {
	tree any
	hash event.Digest // SHA-256 of the body; zero where nobody asks
}

// requestBody reads the body of a patient request. Its files are stored, under
// no time limit except that of each part; when the call has been answered,
// those that no request names are forgotten again.
func (a *API) requestBody(_ http.ResponseWriter, r *http.Request, caller access.Caller) (in patientRequest, named string, err error) {
	raw, err := rawBody(r)
	if err != nil {
		return in, "", err
	}
	call := callOf(r.Context())
	body := &RequestBody{Tenant: caller.Tenant, Uploads: a.Uploads, text: &call.text, upload: &call.upload}
	tree, err := body.Read(call.connection, raw)
	if len(body.stored) > 0 {
		call.after = append(call.after, body.Close)
	}
	object, _ := tree.(map[string]any)
	named, _ = object["patientId"].(string)
	return patientRequest{tree, raw.sum()}, named, err
}

// createPatientRequest is §4.1.
func (a *API) createPatientRequest(w http.ResponseWriter, r *http.Request, caller judged, in patientRequest) error {
	idempotency, err := idempotencyOf(r, caller.Caller, in.hash)
	if err != nil {
		return err
	}
	submission, err := request.Parse(in.tree)
	if err != nil {
		return err
	}
	ctx, cancel := a.afresh(r.Context())
	defer cancel()
	id, err := a.Desk.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{
		Tenant: caller.Tenant, Submission: submission, Idempotency: idempotency,
	})
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, map[string]request.ID{"patientRequestId": id})
	return nil
}
