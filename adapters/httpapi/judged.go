package httpapi

import (
	"context"
	"fmt"
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

// judged is a caller who may make the call, and the patient that it names.
type judged struct {
	access.Caller
	patient patient.ID        // zero if the endpoint names none
	call    event.Idempotency // zero if the call has no Idempotency-Key
	desk    commands.Desk     // for the endpoint's commands
}

// caller authenticates the caller of an endpoint. It refuses callers without the right,
// as far as that is known before any input has been read.
func (a *API) caller(r *http.Request, endpoint access.Endpoint) (access.Caller, error) {
	caller, err := a.admit(r, endpoint)
	a.Metrics.judged(endpoint.Name, err)
	return caller, err
}

func (a *API) admit(r *http.Request, endpoint access.Endpoint) (access.Caller, error) {
	prove, err := a.recognise(r, endpoint)
	if err != nil {
		return access.Caller{}, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), a.Limit)
	defer cancel()
	caller, err := prove(ctx)
	if err != nil {
		return access.Caller{}, err
	}
	callOf(r.Context()).proven(caller, a.permits)
	// Only the proven caller's budget is spent, so that no caller spends another's.
	if err := a.unless(ErrRateLimited, a.Calls.Spend(caller.Application, 1)); err != nil {
		return caller, err
	}
	return caller, access.Judge(caller, nil)
}

// recognise finds the claim to prove, by one query in a slot.
func (a *API) recognise(r *http.Request, endpoint access.Endpoint) (prove func(context.Context) (access.Caller, error), err error) {
	tenant, _ := a.tenantOf(r.Host)
	callOf(r.Context()).judged = a.Now()
	err = a.withPermit(a.permits.slots, r, func(r *http.Request) error {
		prove, err = a.Recognise(r.Context(), r.Header.Values("Authorization"), tenant, endpoint)
		return err
	})
	return prove, err
}

// rightsHold is how long the rights from the start of a call are valid. A body that
// takes longer to arrive must not extend rights that a practice has ended.
const rightsHold = 2 * time.Second

// renewed reads the caller's rights again if the body took long, and refuses a caller
// without them.
func (a *API) renewed(r *http.Request, caller access.Caller) (access.Caller, error) {
	c, now := callOf(r.Context()), a.Now()
	if now.Sub(c.judged) <= rightsHold {
		return caller, nil
	}
	rights, err := a.Rights(r.Context(), caller.Claim, now)
	if err != nil {
		return caller, fmt.Errorf("ask for the application's rights again: %w", err)
	}
	c.judged, caller.Rights = now, rights
	c.line.Caller = caller
	return caller, access.Judge(caller, nil)
}

// ready returns a caller who may make the call, with the desk for the endpoint. It
// refuses a malformed Idempotency-Key and, in strict mode, unknown members.
func (a *API) ready(r *http.Request, caller access.Caller, form *body.Form) (judged, error) {
	j, err := a.judge(r, caller, form)
	if err != nil {
		return judged{}, err
	}
	callOf(r.Context()).unknown = form.Unknown
	if a.Strict && !form.Unknown.None() {
		return judged{}, errUnknownField
	}
	j.desk = a.Desk
	j.call, err = idempotencyOf(r, j.Caller, form.Digest)
	return j, err
}

// judge completes the check when the input is read: it refuses a caller who may not act
// on the patient that the call names. An unreadable input names no patient.
//
// The scope is checked first, because the other refusals would reveal parts of the
// input. Then come faults of the input. Only then does a restriction cost its query.
func (a *API) judge(r *http.Request, caller access.Caller, form *body.Form) (judged, error) {
	j := judged{Caller: caller}
	if caller.Endpoint.NamesPatient {
		j.patient = form.Patient()
	}
	callOf(r.Context()).line.patient = j.patient
	caller, err := a.renewed(r, caller)
	if err != nil {
		return judged{}, err
	}
	if j.Caller = caller; !caller.Endpoint.NamesPatient {
		return j, form.Unread()
	}
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

// asCaller sets the caller as the actor of every event of the call.
func asCaller(r *http.Request, caller access.Caller) *http.Request {
	id := callOf(r.Context()).identity
	return r.WithContext(event.WithMetadata(r.Context(), event.Metadata{
		Actor: caller.Actor(), RequestID: id.request, Correlation: id.correlation,
	}))
}

// recordLine is a call's entry in the access record. It is filled in step by step.
type recordLine struct {
	access.Caller            // zero until the signature is verified
	patient       patient.ID // zero if the call names none
	refusals      fault.List // in the answer
}

// code is the first code of the answer; "" if there was none.
func (l *recordLine) code() string {
	if len(l.refusals) == 0 {
		return ""
	}
	return l.refusals[0].Code
}

// recorded adds every call with a valid signature to the access record. That includes
// calls that append events, so that one list has all calls.
func (a *API) recorded(endpoint access.Endpoint, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen, answered := &statusWriter{ResponseWriter: w, status: http.StatusOK}, false
		defer func() {
			if !answered { // it panicked
				seen.status = http.StatusInternalServerError
			}
			a.record(callOf(r.Context()), endpoint, seen.status, r)
		}()
		next.ServeHTTP(seen, r)
		answered = true
	})
}

func (a *API) record(c *call, endpoint access.Endpoint, status int, r *http.Request) {
	j := c.line
	if a.Record == nil || j.Application.UUID == uuid.Nil {
		return
	}
	id, _ := uuid.Parse(c.request) // we wrote it, so it can be parsed
	line := access.Call{
		RequestID: id, At: c.judged.UTC().Truncate(time.Microsecond),
		Tenant: j.Tenant, Application: j.Application, Mode: j.Mode, Staff: j.Staff,
		Endpoint: endpoint.Name, Patient: j.patient, Status: status,
		Act: j.Act, TokenHash: event.Digest(j.TokenHash), Took: max(0, a.Now().Sub(c.begun)), Replayed: c.again,
		Agent: agentOf(r),
	}
	if key := keyOf(r); key != "" {
		line.Key = access.KeyDigest(j.Application, key)
	}
	if len(j.refusals) > 0 {
		line.Code, line.Reason = j.refusals[0].Code, j.refusals[0].Detail
		for _, f := range j.refusals[1:min(len(j.refusals), mostRecorded)] {
			line.Further = append(line.Further, access.Problem{Code: f.Code, Reason: f.Detail})
		}
	}
	a.Record(line)
}

// mostRecorded limits the refusals of a call in the access record. A body may have thousands of
// faults, and lines wait in memory.
const mostRecorded = 50
