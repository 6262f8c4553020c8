package commands_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
)

func TestANoteIsMarkedInItsOwnRecord_D73(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	ann, bill, theirs := s.patient(t, elm), s.patient(t, elm), s.patient(t, oak)
	desk := commands.Desk{Store: s, Patients: s}
	note := made[record.NoteID](t)(desk.CreateNote(t.Context(), commands.CreateNote{Tenant: elm, Patient: ann, Text: "a cough"}))
	mark := func(tenant string, about patient.ID, id record.NoteID, reason string) func(context.Context) error {
		return func(ctx context.Context) error {
			return desk.MarkNoteEnteredInError(ctx, commands.MarkNoteEnteredInError{Tenant: tenant, Patient: about, Note: id, Reason: reason})
		}
	}
	s.play(t,
		step{"unknown note", mark(elm, ann, record.NoteID{UUID: uuid.New()}, "wrong"), nil, record.ErrUnknownNote},
		step{"another patient's", mark(elm, bill, note, "wrong"), nil, record.ErrUnknownNote},
		step{"another practice's", mark(oak, ann, note, "wrong"), nil, record.ErrUnknownNote},
		step{"another practice's patient", mark(elm, theirs, note, "wrong"), nil, record.ErrUnknownNote},
		step{"no reason", mark(elm, ann, note, "\n"), nil, parse.ErrInvalidReason},
		step{"marked", mark(elm, ann, note, "wrong"), []event.Event{record.NoteEnteredInError{Note: note, Patient: ann, Reason: "wrong"}}, nil},
		step{"marked already", mark(elm, ann, note, "very wrong"), nil, nil},
	)
	if last := s.Log()[len(s.Log())-1]; last.Stream != record.NoteStreamOf(elm, note) {
		t.Errorf("the mark is in stream %v", last.Stream)
	}
}

func TestARequestIsMarkedForItsOwnPatient_D73(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	ann, bill := s.patient(t, elm), s.patient(t, elm)
	desk := commands.Desk{Store: s, Patients: s, Receptions: s, Now: noon}
	asked := made[request.ID](t)(desk.SubmitPatientRequest(t.Context(), commands.SubmitPatientRequest{
		Tenant: elm, Submission: request.Submission{Patient: ann, Type: request.Admin},
	}))
	mark := func(tenant string, about patient.ID, id request.ID, reason string) func(context.Context) error {
		return func(ctx context.Context) error {
			return desk.MarkPatientRequestEnteredInError(ctx,
				commands.MarkPatientRequestEnteredInError{Tenant: tenant, Patient: about, Request: id, Reason: reason})
		}
	}
	s.play(t,
		step{"unknown request", mark(elm, ann, request.ID{UUID: uuid.New()}, "wrong"), nil, request.ErrUnknown},
		step{"another patient's", mark(elm, bill, asked, "wrong"), nil, request.ErrUnknown},
		step{"another practice's", mark(oak, ann, asked, "wrong"), nil, request.ErrUnknown},
		step{"no reason", mark(elm, ann, asked, ""), nil, parse.ErrInvalidReason},
		step{"marked", mark(elm, ann, asked, "wrong"), []event.Event{request.EnteredInError{Patient: ann, Reason: "wrong"}}, nil},
		step{"marked already", mark(elm, ann, asked, "very wrong"), nil, nil},
	)
	if last := s.Log()[len(s.Log())-1]; last.Stream != request.StreamOf(elm, asked) {
		t.Errorf("the mark is in stream %v", last.Stream)
	}
}
