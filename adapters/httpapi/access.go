package httpapi

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// judgement is what the access record will say of a call, as it becomes known.
type judgement struct {
	caller  commands.Caller // zero until the signature has held (D3)
	patient patient.ID      // that the call names
	refusal fault.Error     // the first; zero when there was none
}

// recorded hands every call whose signature held to the access record (D37),
// also those that append an event of their own: one list shows all calls.
func (a *API) recorded(endpoint application.Endpoint, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, seen, answered := a.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}, false
		defer func() {
			if !answered { // but panicked
				seen.status = http.StatusInternalServerError
			}
			a.record(r, endpoint, at, seen.status)
		}()
		next.ServeHTTP(seen, r)
		answered = true
	})
}

func (a *API) record(r *http.Request, endpoint application.Endpoint, at time.Time, status int) {
	j := callOf(r.Context()).judgement
	if a.Record == nil || j.caller.Application.UUID == uuid.Nil {
		return
	}
	id, _ := uuid.Parse(identityOf(r.Context()).request) // we wrote it
	a.Record(access.Call{
		RequestID: id, At: at.UTC().Truncate(time.Microsecond),
		Tenant: j.caller.Tenant, Application: j.caller.Application, Mode: j.caller.Mode, Staff: j.caller.Staff,
		Endpoint: endpoint, Patient: j.patient, Status: status, Code: j.refusal.Code, Reason: j.refusal.Detail,
		Act: j.caller.Act, TokenHash: event.Digest(j.caller.TokenHash),
	})
}

// checkPatient judges the patient that a call names, as it wrote it, by the
// caller's scope (D12), and keeps who it is for the access record. Every
// endpoint that names a patient asks it.
func checkPatient(r *http.Request, caller commands.Caller, id string) error {
	if named, ok := body.ParseID(id); ok {
		callOf(r.Context()).judgement.patient = patient.ID{UUID: named}
	}
	return caller.CheckPatient(id)
}

// readForm reads a body of the given members, and judges the patient that it
// names.
func readForm(r *http.Request, caller commands.Caller, members ...string) (*body.Form, error) {
	form, err := body.Read(r, callOf(r.Context()).text, members...)
	if err != nil {
		return nil, err
	}
	if err := inScope(r, caller, form); err != nil {
		return nil, err
	}
	return form, nil
}

// inScope judges the patient of a form by the caller's scope, with the one parse
// that also serves the endpoint. What could not be read fails the scope (D1).
func inScope(r *http.Request, caller commands.Caller, form *body.Form) error {
	if err := checkPatient(r, caller, form.PatientAsWritten()); err != nil {
		return err
	}
	return form.Unread()
}
