package request_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/request"
)

var (
	portal = application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f1")}
	other  = application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f2")}

	answered = request.Answered{Patient: ann, Request: askedAs, Application: portal, Text: "Take it twice a day."}
	backLink = request.ReLinked{Patient: ann, Former: bill, Reason: "It is about Ann."}
)

// sent is the submission of an application.
func sent() request.Submitted {
	s := submitted
	s.Application = portal
	return s
}

func answer(c request.Completion) decide {
	return func(r request.Request) ([]event.Event, error) { return r.Complete(askedAs, lee, c) }
}

func TestAnAnswerCompletesTheRequest_D149(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[request.Request]
	reply := request.Completion{Outcome: request.Replied, Note: "Sent a text.", Answer: " Take it twice a day. "}
	long := strings.Repeat("é", request.MaxText)
	byKim, byLee := request.Given{Patient: ann, To: kim}, request.Given{Patient: ann, From: kim, To: lee}

	given(sent()).When(answer(reply)).Then(t, completed, answered)
	given(sent(), taken).When(answer(reply)).Then(t, completed, answered)
	given(sent(), completed, answered).When(answer(reply)).Refuses(t, request.ErrCompleted)
	given(sent(), byKim).When(answer(reply)).Refuses(t, request.ErrTaken)
	given(sent(), completed, answered, reopened, byLee).When(answer(reply)).Then(t, completed, answered)
	given().When(answer(reply)).Refuses(t, request.ErrUnknown)
	given(sent()).When(answer(request.Completion{Outcome: request.Replied})).Then(t, request.Completed{Patient: ann, By: lee, Outcome: request.Replied})

	longest := request.Answered{Patient: ann, Request: askedAs, Application: portal, Text: long}
	given(sent()).When(answer(request.Completion{Outcome: request.Replied, Answer: long})).
		Then(t, request.Completed{Patient: ann, By: lee, Outcome: request.Replied}, longest)
	for _, text := range []string{" \n", long + "é", "\xff", "a\x00b"} {
		given(sent()).When(answer(request.Completion{Outcome: request.Replied, Answer: text})).Refuses(t, request.ErrInvalidText)
	}
	for _, outcome := range request.Outcomes()[1:] {
		given(sent()).When(answer(request.Completion{Outcome: outcome, Answer: "x"})).Refuses(t, request.ErrAnswerWithoutReply)
	}
}

// An answer that no application could fetch would not reach the patient.
func TestAnswerNeedsItsRecipient_D149(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[request.Request]
	reply := request.Completion{Outcome: request.Replied, Answer: answered.Text}
	done := request.Completed{Patient: ann, By: lee, Outcome: request.Replied}

	given(submitted).When(answer(reply)).Refuses(t, request.ErrNoRecipient)
	given(sent(), reLinked).When(answer(reply)).Refuses(t, request.ErrNoRecipient)
	given(sent(), inError).When(answer(reply)).Refuses(t, request.ErrNoRecipient)
	given(sent(), reLinked, backLink).When(answer(reply)).Then(t, done, answered)
	given(submitted).When(answer(request.Completion{Outcome: request.Replied})).Then(t, done)
}

func TestRequestIsFoundByItsSender_D149(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		history []event.Event
		by      application.ID
		found   bool
	}{
		"the sender":           {[]event.Event{sent()}, portal, true},
		"the sender, answered": {[]event.Event{sent(), completed, answered}, portal, true},
		"linked there again":   {[]event.Event{sent(), reLinked, backLink}, portal, true},
		"another application":  {[]event.Event{sent()}, other, false},
		"no application":       {[]event.Event{sent()}, application.ID{}, false},
		"sent by none":         {[]event.Event{submitted}, portal, false},
		"none asks, none sent": {[]event.Event{submitted}, application.ID{}, false},
		"of another patient":   {[]event.Event{sent(), completed, answered, reLinked}, portal, false},
		"entered in error":     {[]event.Event{sent(), inError}, portal, false},
		"unknown":              {nil, portal, false},
	} {
		var state request.Request
		for _, e := range c.history {
			state = state.Apply(e)
		}
		want := error(request.ErrUnknown)
		if c.found {
			want = nil
		}
		if got := state.FoundBy(c.by); !errors.Is(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
