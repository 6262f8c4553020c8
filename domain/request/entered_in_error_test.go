package request_test

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

var (
	submitted = request.Submitted(submission)
	inError   = request.EnteredInError{Patient: submission.Patient, Reason: "sent twice"}
)

func TestARequestIsMarkedAsEnteredInErrorOnce_D73(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[request.Request]
	mark := func(about patient.ID, reason string) func(request.Request) ([]event.Event, error) {
		return func(r request.Request) ([]event.Event, error) { return r.MarkEnteredInError(about, reason) }
	}
	bill := patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a2")}

	given(submitted).When(mark(submitted.Patient, " sent twice")).Then(t, inError)
	given(submitted, inError).When(mark(submitted.Patient, "another reason")).Then(t)
	given(submitted).When(mark(submitted.Patient, "")).Refuses(t, parse.ErrInvalidReason)
	given(submitted).When(mark(bill, "sent twice")).Refuses(t, request.ErrUnknown)
	given(submitted, inError).When(mark(bill, "sent twice")).Refuses(t, request.ErrUnknown)
	given().When(mark(bill, "sent twice")).Refuses(t, request.ErrUnknown)
	given().When(mark(patient.ID{}, "sent twice")).Refuses(t, request.ErrUnknown)
}
