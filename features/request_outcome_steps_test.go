package features_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"github.com/cucumber/godog"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// outcomePath is that of how a request ended.
const outcomePath = "/transactional-api/request-outcome?patientRequestId="

// requestOutcomeSteps are about the answer to the patient, and the application that fetches it.
func (w *world) requestOutcomeSteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" answers the request with "([^"]*)"$`, func(member, answer string) error {
		return w.completes(member, request.Completion{Outcome: request.Replied, Answer: answer})
	})
	sc.Step(`^"([^"]*)" completes the request as "([^"]*)", and notes "([^"]*)"$`, func(member, outcome, note string) error {
		return w.completes(member, request.Completion{Outcome: request.Outcome(outcome), Note: note})
	})
	sc.Step(`^"([^"]*)" reopens the request, because "([^"]*)"$`, func(member, reason string) error {
		return w.toRequest(member, func(ctx context.Context, id request.ID, by staff.ID) error {
			return w.Desk.ReopenPatientRequest(ctx, commands.ReopenPatientRequest{Tenant: w.tenant(w.practice), Request: id, By: by, Reason: reason})
		})
	})
	sc.Step(`^"([^"]*)" links the request of "([^"]*)" to "([^"]*)"$`, func(member, from, to string) error {
		return w.toRequest(member, func(ctx context.Context, id request.ID, _ staff.ID) error {
			return w.Desk.ReLinkPatientRequest(ctx, commands.ReLinkPatientRequest{
				Tenant: w.tenant(w.practice), Request: id, From: w.patients[from], To: w.patients[to], Reason: "sent for another",
			})
		})
	})
	sc.Step(`^the request of "([^"]*)" is marked as entered in error$`, func(about string) error {
		return w.Desk.MarkPatientRequestEnteredInError(w.ctx, commands.MarkPatientRequestEnteredInError{
			Tenant: w.tenant(w.practice), Request: w.theRequest(), Patient: w.patients[about], Reason: "sent twice",
		})
	})
	sc.Step(`^the answer is refused as "([^"]*)"$`, w.answerRefused)
	sc.Step(`^"([^"]*)" asks how the request ended$`, w.asksOutcome)
	sc.Step(`^"([^"]*)" asks how the request ended on behalf of "([^"]*)"$`, func(app, member string) error {
		w.theRequest()
		return w.callsAs(app, http.MethodGet, outcomePath+"<the request>", member)
	})
	sc.Step(`^"([^"]*)" asks again how the request ended$`, func(app string) error {
		return w.call(app, http.MethodGet, outcomePath+"<the request>", "", http.Header{"If-None-Match": {w.answer.headers.Get("ETag")}})
	})
	sc.Step(`^"([^"]*)" is answered as for a request that does not exist$`, w.isUnknown)
}

// theRequest is the request last submitted, which stays <the request> in other practices.
func (w *world) theRequest() request.ID {
	if submitted, err := w.last(request.Submitted{}.EventName()); err == nil {
		w.things["the request"] = submitted.Stream.ID
	}
	return request.ID{UUID: w.things["the request"]}
}

// toRequest does something to the request as a member of staff.
func (w *world) toRequest(member string, do func(context.Context, request.ID, staff.ID) error) error {
	by, err := w.Staff.AnyStaffByUsername(w.ctx, w.tenant(w.practice), w.usernames[member])
	if err != nil {
		return err
	}
	return do(event.WithMetadata(w.ctx, event.Metadata{Actor: event.Staff(by.UUID)}), w.theRequest(), by)
}

// completes keeps a refusal for the next step.
func (w *world) completes(member string, c request.Completion) error {
	return w.toRequest(member, func(ctx context.Context, id request.ID, by staff.ID) error {
		w.unanswered = w.Desk.CompletePatientRequest(ctx, commands.CompletePatientRequest{Tenant: w.tenant(w.practice), Request: id, By: by, Completion: c})
		if errors.Is(w.unanswered, request.ErrNoRecipient) {
			return nil
		}
		return w.unanswered
	})
}

func (w *world) answerRefused(code string) error {
	if w.unanswered == nil || code != request.ErrNoRecipient.Code {
		return fmt.Errorf("it is refused as %w", w.unanswered)
	}
	return nil
}

func (w *world) asksOutcome(app string) error {
	w.theRequest()
	return w.call(app, http.MethodGet, outcomePath+"<the request>", "", nil)
}

// isUnknown compares the last answer with that for another identifier.
func (w *world) isUnknown(app string) error {
	if err := w.answerHasCode(http.StatusBadRequest, request.ErrUnknown.Code); err != nil {
		return err
	}
	got := w.answer
	if err := w.call(app, http.MethodGet, outcomePath+uuid.NewString(), "", nil); err != nil {
		return err
	}
	without := func(h http.Header) http.Header {
		h = maps.Clone(h)
		h.Del("X-Request-Id")
		h.Del("Date")
		h.Del("RateLimit") // counts calls
		return h
	}
	if diff := cmp.Diff(without(w.answer.headers), without(got.headers)); diff != "" || string(got.body) != string(w.answer.body) || got.status != w.answer.status {
		return fmt.Errorf("answered %d %s, and an unknown one %d %s (-unknown +this):\n%s", got.status, got.body, w.answer.status, w.answer.body, diff)
	}
	return nil
}
