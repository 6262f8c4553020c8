package auditing

import (
	"context"
	"iter"
	"net/url"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/domain/access"
)

// Outcome is how a call ended, judging by the status of its answer.
type Outcome string

// The outcomes.
const (
	Allowed Outcome = "allowed" // it was served
	Refused Outcome = "refused" // the call was wrong or not allowed
	Failed  Outcome = "failed"  // the service could not serve it
)

// The first statuses of a refusal and of a failure.
const (
	firstRefusal = 400
	firstFailure = 500
)

// OutcomeOf returns how a call ended.
func OutcomeOf(call access.Call) Outcome {
	switch {
	case call.Status < firstRefusal:
		return Allowed
	case call.Status < firstFailure:
		return Refused
	}
	return Failed
}

// Statuses returns the range of statuses of an outcome. 0 is no bound, and until is
// exclusive.
func (o Outcome) Statuses() (from, until int) {
	switch o {
	case Allowed:
		return 0, firstRefusal
	case Refused:
		return firstRefusal, firstFailure
	case Failed:
		return firstFailure, 0
	}
	return 0, 0
}

// CallFilter selects calls of the access record. A zero field matches all calls.
type CallFilter struct {
	accesslog.CallFilter
	Outcome  Outcome
	Personal bool // with the practitioners of the calls
}

// EachCall yields the calls that pass the filter, newest first.
func (a Auditor) EachCall(ctx context.Context, f CallFilter) iter.Seq2[access.Call, error] {
	f.StatusFrom, f.StatusUntil = f.Outcome.Statuses()
	return a.recordOf(f.Personal).Calls(ctx, f.CallFilter)
}

// CountCalls counts the calls that [Auditor.EachCall] yields.
func (a Auditor) CountCalls(ctx context.Context, f CallFilter) (calls int64, err error) {
	f.Personal = false
	for _, err := range a.EachCall(ctx, f) {
		if err != nil {
			return 0, err
		}
		calls++
	}
	return calls, nil
}

// Calls reads the newest calls that pass the filter, at most as many as limit.
func (a Auditor) Calls(ctx context.Context, f CallFilter, limit int) (calls []access.Call, err error) {
	for call, err := range a.EachCall(ctx, f) {
		if err != nil {
			return nil, err
		}
		if calls = append(calls, call); len(calls) == limit {
			break
		}
	}
	return calls, nil
}

// String returns the filter as the record of a reading holds it: key=value&….
func (f CallFilter) String() string {
	values := url.Values{}
	set(values, "request", f.RequestID.String(), f.RequestID != uuid.Nil)
	set(values, "before", f.Before.String(), f.Before != uuid.Nil)
	set(values, "tenant", f.Tenant, f.Tenant != "")
	set(values, "application", f.Application.String(), f.Application.UUID != uuid.Nil)
	set(values, "user", f.Staff.String(), f.Staff.UUID != uuid.Nil)
	set(values, "patient", f.Patient.String(), f.Patient.UUID != uuid.Nil)
	set(values, "endpoint", string(f.Endpoint), f.Endpoint != "")
	set(values, "outcome", string(f.Outcome), f.Outcome != "")
	set(values, "since", f.Since.UTC().Format(time.RFC3339Nano), !f.Since.IsZero())
	set(values, "until", f.Until.UTC().Format(time.RFC3339Nano), !f.Until.IsZero())
	return values.Encode()
}

func set(values url.Values, key, value string, given bool) {
	if given {
		values.Set(key, value)
	}
}
