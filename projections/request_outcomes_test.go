package projections_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/projections/history"
)

var portal = application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f1")}

// outcomeDay is an inbox with one request that the portal has sent about Ann.
type outcomeDay struct {
	*inboxDay
	sent request.ID
}

func newOutcome(t *testing.T) *outcomeDay {
	t.Helper()
	d := &outcomeDay{inboxDay: newInbox(t)}
	s := submitted(ann, request.Medical, false)
	s.Application = portal
	d.sent = d.asks(t, elm, s)
	return d
}

func (d *outcomeDay) outcome(t *testing.T) (history.Outcome, error) {
	t.Helper()
	return history.Outcomes{DB: d.Pool, Opens: d.Keys}.Find(t.Context(), elm, d.sent, portal)
}

// replies completes the request with an answer.
func (d *outcomeDay) replies(t *testing.T, text string) {
	t.Helper()
	d.handled(t, elm, d.sent, request.Completed{Patient: ann, By: lee, Outcome: request.Replied, Text: "for staff"},
		request.Answered{Patient: ann, Request: d.sent, Application: portal, Text: text})
}

func (d *outcomeDay) want(t *testing.T, want history.Outcome) {
	t.Helper()
	want.Patient = ann
	if want.Outcome != "" {
		want.CompletedAt = d.At.UTC()
	}
	got, err := d.outcome(t)
	if (got.Answer != "") != (got.AnswerEvent != uuid.Nil) {
		t.Errorf("the answer %q is in the event %s", got.Answer, got.AnswerEvent)
	}
	got.AnswerEvent = uuid.Nil
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func (d *outcomeDay) wantNone(t *testing.T, why string) {
	t.Helper()
	if got, err := d.outcome(t); !errors.Is(err, request.ErrUnknown) || got != (history.Outcome{}) {
		t.Errorf("%s: %+v, %v", why, got, err)
	}
}

func TestOutcomeHasTheLastAnswer_D149(t *testing.T) {
	t.Parallel()
	d := newOutcome(t)
	d.want(t, history.Outcome{})
	d.handled(t, elm, d.sent, request.Noted{Patient: ann, Text: "rang"})
	d.replies(t, "Take it once.")
	d.want(t, history.Outcome{Outcome: request.Replied, Answer: "Take it once."})
	d.handled(t, elm, d.sent, request.Reopened{Patient: ann, By: lee, Reason: "wrong dose"})
	d.want(t, history.Outcome{})
	d.replies(t, "Take it twice.")
	d.want(t, history.Outcome{Outcome: request.Replied, Answer: "Take it twice."})
	d.handled(t, elm, d.sent, request.Reopened{Patient: ann, By: lee, Reason: "again"})
	d.handled(t, elm, d.sent, request.Completed{Patient: ann, By: lee, Outcome: request.Signposted, Text: "for staff"})
	d.want(t, history.Outcome{Outcome: request.Signposted})
}

// What an application may not know is not there for it.
func TestOutcomeIsOnlyForItsSender_D149(t *testing.T) {
	t.Parallel()
	d := newOutcome(t)
	d.replies(t, "Take it once.")
	for what, c := range map[string]struct {
		tenant string
		id     request.ID
		by     application.ID
	}{
		"another application":   {elm, d.sent, application.ID{UUID: uuid.New()}},
		"no application":        {elm, d.sent, application.ID{}},
		"another practice":      {oak, d.sent, portal},
		"unknown":               {elm, request.ID{UUID: uuid.New()}, portal},
		"sent by none":          {elm, d.of["a letter"], application.ID{}},
		"the patient's stream":  {elm, request.ID{UUID: patient.StreamOf(elm, ann).ID}, portal},
		"sent by none, another": {elm, d.of["a letter"], portal},
	} {
		got, err := history.Outcomes{DB: d.Pool, Opens: d.Keys}.Find(t.Context(), c.tenant, c.id, c.by)
		if !errors.Is(err, request.ErrUnknown) || got != (history.Outcome{}) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}

	d.handled(t, elm, d.sent, request.ReLinked{Patient: bill, Former: ann, Reason: "about Bill"})
	d.wantNone(t, "linked to Bill")
	d.handled(t, elm, d.sent, request.ReLinked{Patient: ann, Former: bill, Reason: "about Ann"})
	if got, err := d.outcome(t); err != nil || got.Answer != "Take it once." {
		t.Errorf("linked to Ann again: %+v, %v", got, err)
	}
	d.handled(t, elm, d.sent, request.EnteredInError{Patient: ann, Reason: "twice"})
	d.wantNone(t, "entered in error")
}

func TestOutcomeIsErasedWithPatient_D149(t *testing.T) {
	t.Parallel()
	d := newOutcome(t)
	d.replies(t, "Take it once.")
	d.happened(t.Context(), t, elm, patient.StreamOf(elm, ann).ID, 1, patient.Erased{Patient: ann, Done: erasure.Done{
		Erasure: erasure.ID{UUID: uuid.New()}, Basis: erasure.Restored, Keys: []erasure.Key{{Kind: event.OfPatient, Holder: ann.UUID}},
	}})
	d.wantNone(t, "erased")
}
