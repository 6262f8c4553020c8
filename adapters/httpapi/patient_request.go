package httpapi

import (
	"net/http"
	"time"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// createPatientRequest is §4.1.
func (a *API) createPatientRequest(w http.ResponseWriter, r *http.Request, caller judged, f *body.Form) error {
	idempotency, err := idempotencyOf(r, caller.Caller, f.Digest)
	if err != nil {
		return err
	}
	submission, err := f.PatientRequest(caller.patient)
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

// withFiles reads a body whose files are stored, under no time limit except that
// of each part; when the call has been answered, those that no request names are
// forgotten again.
func (a *API) withFiles(r *http.Request, caller access.Caller) (*body.Form, error) {
	call := callOf(r.Context())
	files := &body.Files{Tenant: caller.Tenant, Uploads: a.Uploads, Text: call.text, Upload: call.upload}
	form, err := files.ReadCall(call.connection, r)
	if files.Stored() {
		call.after = append(call.after, files.Close)
	}
	return form, err
}

// idempotencyOf is by what the call is recognised when it is made again; zero
// without an Idempotency-Key (D22).
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

const longestKey = 255 // bytes (D22)

var errInvalidKey = fault.New(fault.Invalid, "invalid-idempotency-key", "Idempotency-Key is given once, with 1 to 255 bytes.")

// requestTypeAvailability is D24: what the patient portal asks.
func (a *API) requestTypeAvailability(w http.ResponseWriter, r *http.Request, caller judged, _ *body.Form) error {
	types, err := a.RequestTypes(r.Context(), caller.Tenant, a.Now())
	if err != nil {
		return err
	}
	body := make([]availability, len(types))
	for i, t := range types {
		body[i] = availability{RequestType: t.Type, Status: t.Status}
		if !t.NextOpening.IsZero() {
			body[i].NextOpening = &t.NextOpening
		}
	}
	answer(w, http.StatusOK, map[string][]availability{"requestTypes": body})
	return nil
}

// availability is one request type as the patient portal shows it (D24).
type availability struct {
	RequestType request.Type    `json:"requestType"`
	Status      practice.Status `json:"status"`
	NextOpening *time.Time      `json:"nextOpening"`
}
