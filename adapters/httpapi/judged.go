package httpapi

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// judged is a caller who may make the call, and the patient whom it names.
type judged struct {
	access.Caller
	patient patient.ID // zero where the endpoint names none
}

// caller finds out who is calling an endpoint, and whether they may as far as
// that can be said before anything of the call's input is read (D1).
func (a *API) caller(r *http.Request, endpoint access.Endpoint) (access.Caller, error) {
	caller, err := a.admit(r, endpoint)
	a.Metrics.judged(endpoint.Name, err)
	return caller, err
}

func (a *API) admit(r *http.Request, endpoint access.Endpoint) (access.Caller, error) {
	tenant, _ := a.tenantOf(r.Host)
	caller, err := a.Authenticate(r.Context(), r.Header.Values("Authorization"), tenant, endpoint)
	if err != nil {
		return caller, err
	}
	callOf(r.Context()).judgement.Caller = caller
	if a.Allow != nil { // asked only now, so that nobody spends another's allowance
		if err := a.Allow(caller.Application); err != nil {
			return caller, err
		}
	}
	return caller, access.Judge(caller, nil)
}

// judge is the rest of the judgement: whether the caller may act on the patient
// whom the call names. An input that could not be read names nobody (D1).
func (a *API) judge(r *http.Request, caller access.Caller, form *body.Form) (judged, error) {
	j := judged{Caller: caller}
	if !caller.Endpoint.NamesPatient {
		return j, form.Unread()
	}
	j.patient = form.Patient()
	callOf(r.Context()).judgement.patient = j.patient
	named := access.Named{Patient: form.PatientAsWritten()}
	if err := access.Judge(caller, &named); err != nil {
		return judged{}, err
	}
	if err := form.Unread(); err != nil {
		return judged{}, err
	}
	if !caller.Endpoint.ShowsRecord || caller.Mode != application.UserRestricted {
		return j, nil
	}
	open, err := a.RecordOpenTo(r.Context(), caller.Tenant, j.patient, caller.Staff)
	if err != nil {
		return judged{}, err
	}
	named.Closed = !open
	return j, access.Judge(caller, &named)
}

// asCaller makes the caller the actor of every event that the call causes.
func asCaller(r *http.Request, caller access.Caller) *http.Request {
	id := identityOf(r.Context())
	return r.WithContext(event.WithMetadata(r.Context(), event.Metadata{
		Actor: caller.Actor(), RequestID: id.request, Correlation: id.correlation,
	}))
}

// judgement is what the access record will say of a call, as it becomes known.
type judgement struct {
	judged              // zero until the signature has held
	refusal fault.Error // the first; zero when there was none
}

// recorded hands every call whose signature held to the access record (D37),
// also those that append an event of their own: one list shows all calls.
func (a *API) recorded(endpoint access.Endpoint, next http.Handler) http.Handler {
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

func (a *API) record(r *http.Request, endpoint access.Endpoint, at time.Time, status int) {
	j := callOf(r.Context()).judgement
	if a.Record == nil || j.Application.UUID == uuid.Nil {
		return
	}
	id, _ := uuid.Parse(identityOf(r.Context()).request) // we wrote it
	a.Record(access.Call{
		RequestID: id, At: at.UTC().Truncate(time.Microsecond),
		Tenant: j.Tenant, Application: j.Application, Mode: j.Mode, Staff: j.Staff,
		Endpoint: endpoint.Name, Patient: j.patient, Status: status, Code: j.refusal.Code, Reason: j.refusal.Detail,
		Act: j.Act, TokenHash: event.Digest(j.TokenHash),
	})
}

// ping is §4.2, as D16 fills it in.
func (a *API) ping(w http.ResponseWriter, _ *http.Request, caller judged, _ *body.Form) error {
	body := pong{TenantID: caller.Tenant, ApplicationID: caller.Application, Mode: caller.Mode}
	if caller.Mode == application.UserRestricted {
		body.Username, body.AuthorisedUntil = &caller.Username, &caller.AuthorisedUntil
	}
	answer(w, http.StatusOK, body)
	return nil
}

// pong tells a caller how the service sees it (D16).
type pong struct {
	TenantID        string           `json:"tenantId"`
	ApplicationID   application.ID   `json:"applicationId"`
	Mode            application.Mode `json:"mode"`
	Username        *string          `json:"username"`
	AuthorisedUntil *time.Time       `json:"authorisedUntil"`
}
