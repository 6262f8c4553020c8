package commands_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// reception is a practice with two members of staff, one who has left, two patients and a
// request.
type reception struct {
	*story
	desk             commands.Desk
	lee, kim, gone   staff.ID
	ann, bill        patient.ID
	asked            request.ID
	file             request.AttachmentID
	another, unknown request.ID // another practice's, and one that does not exist
}

func newReception(t *testing.T) *reception {
	t.Helper()
	s := &reception{story: newStory(t), unknown: request.ID{UUID: uuid.New()}, file: request.AttachmentID{UUID: uuid.New()}}
	s.desk = commands.Desk{Store: s, Patients: s, Staff: s, Receptions: s, Now: noon}
	s.ann, s.bill = s.patient(t, elm), s.patient(t, elm)
	for username, id := range map[string]*staff.ID{"lee": &s.lee, "kim": &s.kim, "gone": &s.gone} {
		*id = made[staff.ID](t)(s.desk.RegisterStaff(t.Context(), commands.RegisterStaff{Tenant: elm, Username: username, Name: username, Email: username + "@elm.example"}))
	}
	if err := s.desk.DeactivateStaff(t.Context(), commands.DeactivateStaff{Tenant: elm, Username: "gone"}); err != nil {
		t.Fatal(err)
	}
	submit := func(tenant string, about patient.ID) request.ID {
		return made[request.ID](t)(s.desk.SubmitPatientRequest(t.Context(), commands.SubmitPatientRequest{Tenant: tenant, Submission: request.Submission{
			Patient: about, Type: request.Admin, Attachments: []request.Attachment{{ID: s.file}},
		}}))
	}
	s.asked, s.another = submit(elm, s.ann), submit(oak, s.patient(t, oak))
	return s
}

func TestARequestIsHandled_D83(t *testing.T) {
	t.Parallel()
	s := newReception(t)
	give := func(to staff.ID) func(context.Context) error {
		return func(ctx context.Context) error {
			return s.desk.GivePatientRequest(ctx, commands.GivePatientRequest{Tenant: elm, Request: s.asked, From: request.Holder{Member: s.lee}, To: request.Holder{Member: to}})
		}
	}
	take := func(id request.ID, by staff.ID) func(context.Context) error {
		return func(ctx context.Context) error {
			return s.desk.TakePatientRequest(ctx, commands.TakePatientRequest{Tenant: elm, Request: id, By: by})
		}
	}
	complete := func(by staff.ID) func(context.Context) error {
		return func(ctx context.Context) error {
			return s.desk.CompletePatientRequest(ctx, commands.CompletePatientRequest{Tenant: elm, Request: s.asked, By: by, Completion: request.Completion{Outcome: request.Replied, Note: "rang"}})
		}
	}
	urgent := func(ctx context.Context) error {
		return s.desk.ChangePatientRequestUrgency(ctx, commands.ChangePatientRequestUrgency{Tenant: elm, Request: s.asked, Urgent: true})
	}
	note := func(ctx context.Context) error {
		return s.desk.NotePatientRequest(ctx, commands.NotePatientRequest{Tenant: elm, Request: s.asked, Text: "rang"})
	}
	reopen := func(ctx context.Context) error {
		return s.desk.ReopenPatientRequest(ctx, commands.ReopenPatientRequest{Tenant: elm, Request: s.asked, By: s.kim, Reason: "again"})
	}
	s.play(t,
		step{"unknown request", take(s.unknown, s.lee), nil, request.ErrUnknown},
		step{"another practice's", take(s.another, s.lee), nil, request.ErrUnknown},
		step{"taken", take(s.asked, s.lee), []event.Event{request.Taken{Patient: s.ann, By: s.lee}}, nil},
		step{"taken by somebody else", take(s.asked, s.kim), nil, request.ErrTaken},
		step{"given to who has left", give(s.gone), nil, staff.ErrUnknown},
		step{"given to no one", give(staff.ID{}), nil, staff.ErrUnknown},
		step{"given", give(s.kim), []event.Event{request.Given{Patient: s.ann, From: s.lee, To: s.kim}}, nil},
		step{"urgent", urgent, []event.Event{request.UrgencyChanged{Patient: s.ann, Urgent: true}}, nil},
		step{"noted", note, []event.Event{request.Noted{Patient: s.ann, Text: "rang"}}, nil},
		step{"completed by who gave it", complete(s.lee), nil, request.ErrTaken},
		step{"completed", complete(s.kim), []event.Event{request.Completed{Patient: s.ann, By: s.kim, Outcome: request.Replied, Text: "rang"}}, nil},
		step{"completed again", complete(s.kim), nil, request.ErrCompleted},
		step{"reopened", reopen, []event.Event{request.Reopened{Patient: s.ann, By: s.kim, Reason: "again"}}, nil},
	)
}

func TestARequestIsReLinkedWithinThePractice_D83(t *testing.T) {
	t.Parallel()
	s := newReception(t)
	theirs := s.patient(t, oak)
	link := func(from, to patient.ID) func(context.Context) error {
		return func(ctx context.Context) error {
			return s.desk.ReLinkPatientRequest(ctx, commands.ReLinkPatientRequest{Tenant: elm, Request: s.asked, From: from, To: to, Reason: "Bill's"})
		}
	}
	opened := func(id request.ID) func(context.Context) error {
		return func(ctx context.Context) error {
			who, err := s.desk.OpenPatientRequest(ctx, commands.OpenPatientRequest{Tenant: elm, Request: id})
			if err == nil && who != s.bill {
				return errors.New("it is somebody else's")
			}
			return err
		}
	}
	file := func(id request.AttachmentID) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := s.desk.OpenAttachment(ctx, commands.OpenAttachment{Tenant: elm, Request: s.asked, Attachment: id})
			return err
		}
	}
	s.play(t,
		step{"to another practice's patient", link(s.ann, theirs), nil, patient.ErrUnknown},
		step{"to no patient", link(s.ann, patient.ID{}), nil, patient.ErrUnknown},
		step{"not from whom it is", link(theirs, s.bill), nil, request.ErrMoved},
		step{"moved", link(s.ann, s.bill), []event.Event{request.ReLinked{Patient: s.bill, Former: s.ann, Reason: "Bill's"}}, nil},
		step{"opened", opened(s.asked), []event.Event{request.Opened{Patient: s.bill, Request: s.asked}}, nil},
		step{"unknown", opened(s.unknown), nil, request.ErrUnknown},
		step{"another practice's", opened(s.another), nil, request.ErrUnknown},
		step{"its file", file(s.file), []event.Event{request.AttachmentOpened{Patient: s.bill, Request: s.asked, Attachment: s.file}}, nil},
		step{"no file of it", file(request.AttachmentID{UUID: uuid.New()}), nil, request.ErrUnknownAttachment},
	)
}

// However many act at once, one gets the request and it is completed once.
func TestConcurrentActsOnRequestOneWins_D83(t *testing.T) {
	t.Parallel()
	s := newReception(t)
	for _, act := range []func(by staff.ID) error{
		func(by staff.ID) error {
			return s.desk.TakePatientRequest(t.Context(), commands.TakePatientRequest{Tenant: elm, Request: s.asked, By: by})
		},
		func(by staff.ID) error {
			return s.desk.CompletePatientRequest(t.Context(), commands.CompletePatientRequest{Tenant: oak, Request: s.another, By: by, Completion: request.Completion{Outcome: request.Signposted}})
		},
	} {
		var all sync.WaitGroup
		done := make(chan error, 16)
		for range cap(done) {
			all.Go(func() { done <- act(staff.ID{UUID: uuid.New()}) })
		}
		all.Wait()
		first := 0
		for range cap(done) {
			switch err := <-done; {
			case err == nil:
				first++
			case !errors.Is(err, request.ErrTaken) && !errors.Is(err, request.ErrCompleted):
				t.Error(err)
			}
		}
		if first != 1 {
			t.Errorf("%d were first", first)
		}
	}
}
