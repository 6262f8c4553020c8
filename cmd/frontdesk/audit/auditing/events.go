package auditing

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/application"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// EventFilter selects events of the log. A zero field matches all events.
type EventFilter struct {
	After       int64 // an idx, exclusive
	UpTo        int64 // an idx, inclusive
	Since       time.Time
	Until       time.Time // exclusive
	Tenant      string
	Stream      uuid.UUID
	Patient     patient.ID     // the patient of the event
	Requests    []uuid.UUID    // of the patient, with events about other people that they were linked to
	Application application.ID // that caused the event, or that it is about
	Staff       staff.ID       // who caused the event, directly or through an operator, or the subject of the event
	Names       []string       // any of them; a name without a version matches all versions

	Only func(event.Recorded) bool // a further condition; nil for none
}

// These refuse a range, because a partial result would look complete.
var (
	ErrBeyondHead = fault.New(fault.Refused, "beyond-the-head", "The log does not reach so far.")
	errEmptyRange = fault.New(fault.Invalid, "empty-range", "The range ends before it begins: --up-to is less than --after.")
)

// End returns the idx of the last event that can pass: UpTo or, without it, the head of
// the log. It returns [ErrBeyondHead] for a range that begins or ends behind the head.
func (a Auditor) End(ctx context.Context, f EventFilter) (int64, error) {
	if f.UpTo > 0 && f.UpTo < f.After {
		return 0, errEmptyRange
	}
	head, err := a.reaching(ctx, max(f.After, f.UpTo))
	return cmp.Or(f.UpTo, head), err
}

// reaching returns the head of the log, which must be at an idx or behind it.
func (a Auditor) reaching(ctx context.Context, idx int64) (int64, error) {
	head, err := a.Log.Head(ctx)
	if err == nil && idx > head {
		err = ErrBeyondHead.With("The log ends at idx %d, before %d.", head, idx)
	}
	return head, err
}

// Events yields the events that match, oldest first, up to the idx end. An index finds those
// of one patient, stream or practice, and those of a time. Otherwise the whole range is read,
// so that a missing idx is noticed.
func (a Auditor) Events(ctx context.Context, f EventFilter, end int64) iter.Seq2[event.Recorded, error] {
	return func(yield func(event.Recorded, error) bool) {
		for e, err := range a.WholeEvents(ctx, f, end) {
			if !yield(e.Recorded, err) {
				return
			}
		}
	}
}

// WholeEvents yields the events of [Auditor.Events], with their stored text.
func (a Auditor) WholeEvents(ctx context.Context, f EventFilter, end int64) iter.Seq2[eventstore.Whole, error] {
	return func(yield func(eventstore.Whole, error) bool) {
		all, end, err := a.candidates(ctx, f, end)
		if err != nil {
			yield(eventstore.Whole{}, err)
			return
		}
		for e, err := range all {
			if err == nil && e.Idx > end {
				return
			}
			if err == nil && !f.passes(e.Recorded) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// candidates yields the events that may pass, up to an idx that is at most end, and maybe
// some behind it.
func (a Auditor) candidates(ctx context.Context, f EventFilter, end int64) (all iter.Seq2[eventstore.Whole, error], upTo int64, err error) {
	recorded := eventstore.Instants{Since: f.Since, Until: f.Until}
	if chosen := a.selection(f); chosen != nil {
		chosen.Recorded = recorded
		return chosen.WholeAfter(ctx, f.After), end, nil
	}
	after := f.After
	if recorded != (eventstore.Instants{}) {
		after, end, err = a.Log.Within(ctx, recorded, after, end)
	}
	return a.Log.WholeAfter(ctx, after), end, err
}

// selection returns the part of a filter that an index finds, or nil.
func (a Auditor) selection(f EventFilter) *eventstore.Selection {
	switch {
	case f.Patient.UUID != uuid.Nil:
		return a.Log.OfPatient(f.Patient.UUID, f.Requests...)
	case f.Stream != uuid.Nil:
		return a.Log.OfStream(f.Stream)
	case f.Tenant != "":
		return a.Log.OfTenants(f.Tenant)
	}
	return nil
}

// CountEvents counts the events that [Auditor.Events] yields, and those of them
// that record an earlier reading.
func (a Auditor) CountEvents(ctx context.Context, f EventFilter, end int64) (events, readings int64, err error) {
	for e, err := range a.Events(ctx, f, end) {
		if err != nil {
			return 0, 0, err
		}
		events++
		if _, ok := e.Event.(audit.Queried); ok {
			readings++
		}
	}
	return events, readings, nil
}

func (f EventFilter) passes(e event.Recorded) bool {
	return (f.Only == nil || f.Only(e)) &&
		(f.Tenant == "" || e.Stream.Tenant == f.Tenant) &&
		(f.Stream == uuid.Nil || e.Stream.ID == f.Stream) &&
		(f.Since.IsZero() || !e.At.Before(f.Since)) &&
		(f.Until.IsZero() || e.At.Before(f.Until)) &&
		(len(f.Names) == 0 || slices.ContainsFunc(f.Names, func(name string) bool { return isCalled(e, name) })) &&
		(f.Application.UUID == uuid.Nil || involves(e, f.Application.UUID)) &&
		(f.Staff.UUID == uuid.Nil || involves(e, f.Staff.UUID))
}

func isCalled(e event.Recorded, name string) bool {
	return e.EventName() == name || strings.HasPrefix(e.EventName(), name+".v")
}

// involves reports whether a person caused an event, directly or through an operator, or is
// named by it or by its stream.
func involves(e event.Recorded, id uuid.UUID) bool {
	actor := e.Metadata.Actor
	if e.Stream.ID == id || actor.Application == id || actor.ID == id.String() || actor.For == id {
		return true
	}
	data, err := json.Marshal(e.Event)
	return err == nil && bytes.Contains(data, []byte(`"`+id.String()+`"`))
}

// String returns the filter as the record of a reading holds it: key=value&….
func (f EventFilter) String() string {
	values := url.Values{}
	set(values, "after", strconv.FormatInt(f.After, 10), f.After > 0)
	set(values, "up-to", strconv.FormatInt(f.UpTo, 10), f.UpTo > 0)
	set(values, "since", f.Since.UTC().Format(time.RFC3339Nano), !f.Since.IsZero())
	set(values, "until", f.Until.UTC().Format(time.RFC3339Nano), !f.Until.IsZero())
	set(values, "tenant", f.Tenant, f.Tenant != "")
	set(values, "stream", f.Stream.String(), f.Stream != uuid.Nil)
	set(values, "patient", f.Patient.String(), f.Patient.UUID != uuid.Nil)
	set(values, "application", f.Application.String(), f.Application.UUID != uuid.Nil)
	set(values, "user", f.Staff.String(), f.Staff.UUID != uuid.Nil)
	for _, name := range f.Names {
		values.Add("event", name)
	}
	return values.Encode()
}
