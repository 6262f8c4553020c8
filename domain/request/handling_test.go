package request_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

var (
	ann, bill = submission.Patient, patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a2")}
	lee       = staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d1")}
	kim       = staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d2")}
	noHolder  staff.ID
	askedAs   = request.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000e1")}

	taken     = request.Taken{Patient: ann, By: lee}
	given     = request.Given{Patient: ann, From: lee, To: kim}
	calm      = request.UrgencyChanged{Patient: ann}
	noted     = request.Noted{Patient: ann, Text: "Rang twice."}
	completed = request.Completed{Patient: ann, By: lee, Outcome: request.Replied, Text: "Sent a text."}
	reopened  = request.Reopened{Patient: ann, By: kim, Reason: "Ann rang again."}
	reLinked  = request.ReLinked{Patient: bill, Former: ann, Reason: "It is about Bill."}
	opened    = request.Opened{Patient: ann, Request: askedAs}
	fileSeen  = request.AttachmentOpened{Patient: ann, Request: askedAs, Attachment: scan.ID}
)

func TestStaffTextsArePersonal_D83(t *testing.T) {
	t.Parallel()
	for written, e := range map[string]event.Event{
		noted.Text: noted, completed.Text: completed, answered.Text: answered, reopened.Reason: reopened, reLinked.Reason: reLinked,
	} {
		if shown, err := event.Redacted(e); err != nil || strings.Contains(string(shown), written) {
			t.Errorf("an auditor is shown %s, %v", shown, err)
		}
	}
}

type decide = func(request.Request) ([]event.Event, error)

func take(by staff.ID) decide {
	return func(r request.Request) ([]event.Event, error) { return r.Take(by) }
}

func give(from, to staff.ID) decide {
	return func(r request.Request) ([]event.Event, error) {
		return r.Give(request.Holder{Member: from}, request.Holder{Member: to}, staff.Teams{})
	}
}

func complete(by staff.ID, outcome request.Outcome, text string) decide {
	return func(r request.Request) ([]event.Event, error) {
		return r.Complete(askedAs, by, request.Completion{Outcome: outcome, Note: text})
	}
}

func reopen(reason string) decide {
	return func(r request.Request) ([]event.Event, error) { return r.Reopen(kim, reason) }
}

func reLink(from, to patient.ID, reason string) decide {
	return func(r request.Request) ([]event.Event, error) { return r.ReLink(from, to, reason) }
}

func note(text string) decide {
	return func(r request.Request) ([]event.Event, error) { return r.Note(text) }
}

func urgent(is bool) decide {
	return func(r request.Request) ([]event.Event, error) { return r.ChangeUrgency(is) }
}

// The slower of two actors is refused, and no request is completed twice.
func TestStaleActOnRequestIsRefused_D83(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[request.Request]
	byLee, byKim := taken, request.Given{Patient: ann, From: lee, To: kim}

	given(submitted).When(take(lee)).Then(t, byLee)
	given(submitted, byLee).When(take(lee)).Then(t)
	given(submitted, byLee).When(take(kim)).Refuses(t, request.ErrTaken)
	given(submitted, completed).When(take(lee)).Refuses(t, request.ErrCompleted)

	given(submitted).When(give(noHolder, kim)).Then(t, request.Given{Patient: ann, To: kim})
	given(submitted, byLee).When(give(lee, kim)).Then(t, byKim)
	given(submitted, byLee).When(give(noHolder, kim)).Refuses(t, request.ErrTaken)
	given(submitted, byLee, byKim).When(give(lee, lee)).Refuses(t, request.ErrTaken)
	given(submitted, byLee, byKim).When(give(lee, kim)).Then(t)
	given(submitted, completed).When(give(noHolder, kim)).Refuses(t, request.ErrCompleted)

	given(submitted).When(complete(lee, request.Replied, " Sent a text. ")).Then(t, completed)
	given(submitted, byLee).When(complete(lee, request.Signposted, "")).Then(t, request.Completed{Patient: ann, By: lee, Outcome: request.Signposted})
	given(submitted, byLee, byKim).When(complete(lee, request.Replied, "")).Refuses(t, request.ErrTaken)
	given(submitted, completed).When(complete(lee, request.Replied, "")).Refuses(t, request.ErrCompleted)

	given(submitted, byLee).When(reopen("x")).Refuses(t, request.ErrNotDone)
	given(submitted, byLee, completed).When(reopen("Ann rang again.")).Then(t, reopened)
	given(submitted, completed, reopened).When(reopen("x")).Refuses(t, request.ErrNotDone)
	given(submitted, completed, reopened).When(complete(lee, request.Replied, "")).Refuses(t, request.ErrTaken)
	given(submitted, completed, reopened).When(take(kim)).Then(t)
}

func TestARequestIsOfThePatientItIsLinkedTo_D83(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[request.Request]
	mark := func(about patient.ID) decide {
		return func(r request.Request) ([]event.Event, error) { return r.MarkEnteredInError(about, "sent twice") }
	}
	see := func(r request.Request) ([]event.Event, error) { return r.Open(askedAs) }

	given(submitted).When(reLink(ann, bill, "It is about Bill.")).Then(t, reLinked)
	given(submitted, completed).When(reLink(ann, bill, "It is about Bill.")).Then(t, reLinked)
	given(submitted).When(reLink(bill, ann, "x")).Then(t)
	given(submitted, reLinked).When(reLink(ann, patient.ID{UUID: kim.UUID}, "x")).Refuses(t, request.ErrMoved)
	given(submitted, reLinked).When(reLink(bill, ann, "Ann's.")).Then(t, request.ReLinked{Patient: ann, Former: bill, Reason: "Ann's."})
	given(submitted, reLinked).When(take(lee)).Then(t, request.Taken{Patient: bill, By: lee})
	given(submitted, reLinked).When(mark(bill)).Then(t, request.EnteredInError{Patient: bill, Reason: "sent twice"})
	given(submitted, reLinked).When(mark(ann)).Refuses(t, request.ErrUnknown)
	given(submitted, reLinked).When(see).Then(t, request.Opened{Patient: bill, Request: askedAs})
}

func TestOnlyNamedAttachmentsOpen_D83(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[request.Request]
	withFile := submitted
	withFile.Attachments = []request.Attachment{scan}
	see := func(r request.Request) ([]event.Event, error) { return r.OpenAttachment(askedAs, scan.ID) }
	given(withFile).When(see).Then(t, fileSeen)
	given(submitted).When(see).Refuses(t, request.ErrUnknownAttachment)
}

func TestNotesAndUrgencyOfRequest_D83(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[request.Request]
	long := strings.Repeat("é", request.MaxText)

	given(submitted, completed).When(note(" Rang twice. ")).Then(t, noted)
	given(submitted).When(note(long)).Then(t, request.Noted{Patient: ann, Text: long})
	given(submitted).When(urgent(false)).Then(t, calm)
	given(submitted).When(urgent(true)).Then(t)
	given(submitted, calm).When(urgent(false)).Then(t)
	for _, text := range []string{"", " \t", long + "é", "\xff", "a\x00b"} {
		given(submitted).When(note(text)).Refuses(t, request.ErrInvalidText)
		given(submitted, completed).When(reopen(text)).Refuses(t, request.ErrInvalidText)
		given(submitted).When(reLink(ann, bill, text)).Refuses(t, request.ErrInvalidText)
	}
	given(submitted).When(complete(lee, request.Replied, long+"é")).Refuses(t, request.ErrLongText)
	given(submitted).When(complete(lee, "forgotten", "")).Refuses(t, request.ErrUnknownOutcome)
}

func TestUnknownRequestIsRefused_D83(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[request.Request]
	see := func(r request.Request) ([]event.Event, error) { return r.Open(askedAs) }
	seeFile := func(r request.Request) ([]event.Event, error) { return r.OpenAttachment(askedAs, scan.ID) }
	for _, act := range []decide{
		take(lee), take(noHolder), give(noHolder, kim), urgent(true), urgent(false), note("x"), complete(lee, request.Replied, ""), reopen("x"),
		reLink(patient.ID{}, bill, "x"), reLink(ann, bill, "x"), see, seeFile,
	} {
		given().When(act).Refuses(t, request.ErrUnknown)
	}
	for _, conflict := range []*fault.Error{request.ErrTaken, request.ErrCompleted, request.ErrNotDone, request.ErrMoved} {
		if conflict.Kind != fault.Conflict {
			t.Errorf("%s is no conflict", conflict.Code)
		}
	}
}
