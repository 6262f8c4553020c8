package httpapi

import (
	"net/http"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

// createPatientRequest is POST of a patient request → {patientRequestId}.
func (a *API) createPatientRequest(r *http.Request, caller judged, f *body.Form) (any, error) {
	idempotency, err := idempotencyOf(r, caller.Caller, f.Digest)
	if err != nil {
		return nil, err
	}
	submission, err := f.PatientRequest(caller.patient)
	if err != nil {
		return nil, err
	}
	id, err := a.Desk.SubmitPatientRequest(r.Context(), commands.SubmitPatientRequest{
		Tenant: caller.Tenant, Submission: submission, Receptions: caller.Receptions, Idempotency: idempotency,
	})
	if err != nil {
		return nil, err
	}
	return map[string]request.ID{"patientRequestId": id}, nil
}

// withFiles reads the body of a patient request and stores its files on the way.
// Once the call is answered, the files that no request names are forgotten.
func (a *API) withFiles(r *http.Request, caller access.Caller) (*body.Form, error) {
	call := callOf(r.Context())
	files := &body.Files{Tenant: caller.Tenant, Uploads: a.Uploads, Texts: call.texts, Upload: call.file}
	form, err := files.ReadCall(r.Context(), r)
	if files.Stored() {
		call.after = append(call.after, files.Close)
	}
	return form, err
}

// idempotencyOf returns what recognises the call if it is made again; zero if it
// has no Idempotency-Key.
func idempotencyOf(r *http.Request, caller access.Caller, body event.Digest) (event.Idempotency, error) {
	keys := r.Header.Values("Idempotency-Key")
	if keys == nil {
		return event.Idempotency{}, nil
	}
	if len(keys) > 1 || keys[0] == "" || len(keys[0]) > longestKey {
		return event.Idempotency{}, errInvalidKey
	}
	return caller.Idempotency(keys[0], body), nil
}

const longestKey = 255 // bytes

var errInvalidKey = fault.New(fault.Invalid, "invalid-idempotency-key", "Idempotency-Key must be given once, with 1 to 255 bytes.")
