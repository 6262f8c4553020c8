package commands_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// story is a store in which one command follows another, as an operator types them.
type story struct {
	*commandtest.Store
	tenant string // the tenant of the events; "" for global ones
}

// step is one command, and its events or its refusal. A step with neither must change
// nothing.
type step struct {
	name    string
	do      func(context.Context) error
	want    []event.Event
	refusal error
}

// typed is the metadata of every event of a story.
var typed = event.Metadata{
	Actor: event.Actor{Kind: event.ByOperator, ID: "kim"}, RequestID: "r-1", Correlation: "c-1",
}

// play runs the steps, one after another.
func (s *story) play(t *testing.T, steps ...step) {
	t.Helper()
	for _, step := range steps {
		before := len(s.Log())
		if err := step.do(event.WithMetadata(t.Context(), typed)); !errors.Is(err, step.refusal) {
			t.Errorf("%s: error = %v, want %v", step.name, err, step.refusal)
		}
		s.check(t, step, s.Log()[before:])
	}
}

func (s *story) check(t *testing.T, step step, appended []event.Recorded) {
	t.Helper()
	var events []event.Event
	for _, e := range appended {
		events = append(events, e.Event)
		if e.Stream.Tenant != s.tenant || e.Stream.ID == uuid.Nil {
			t.Errorf("%s: %s is in stream %v", step.name, e.EventName(), e.Stream)
		}
		if diff := cmp.Diff(typed, e.Metadata); diff != "" {
			t.Errorf("%s: %s does not say who did it (-want +got):\n%s", step.name, e.EventName(), diff)
		}
	}
	if diff := cmp.Diff(step.want, events, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: appended (-want +got):\n%s", step.name, diff)
	}
}

// The state before a story, and a username that no one has.
const unknownName = "nobody"

var (
	unknownApplication = application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f1")}
	unknownPatient     = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f2")}
)

const keysURL = "https://app.example/jwks"

var errInternalURL = fault.New(fault.Invalid, "invalid-url", "It is internal.")

// checkURL is a deployment that allows one host.
func checkURL(url string) error {
	if url == "https://10.0.0.1/jwks" {
		return errInternalURL
	}
	return nil
}

// newStory begins with two practices.
func newStory(t *testing.T) *story {
	t.Helper()
	s := &story{Store: commandtest.NewStore(), tenant: elm}
	for _, tenant := range []string{elm, oak} {
		must(t, commands.Desk{Store: s}.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: tenant, Name: tenant}))
	}
	return s
}

func (s *story) member(t *testing.T, tenant, username string) {
	t.Helper()
	_, err := commands.Desk{Store: s}.RegisterStaff(t.Context(), commands.RegisterStaff{
		Tenant: tenant, Username: username, Name: username, Email: username + "@practice.example",
	})
	must(t, err)
}

func (s *story) application(t *testing.T, name string, scoped bool) application.ID {
	t.Helper()
	return made[application.ID](t)(commands.Desk{Store: s, CheckURL: checkURL}.RegisterApplication(t.Context(),
		commands.RegisterApplication{Name: name, JWKSURL: keysURL, PatientScoped: scoped}))
}

func (s *story) patient(t *testing.T, tenant string) patient.ID {
	t.Helper()
	return made[patient.ID](t)(commands.Desk{Store: s, Now: noon}.RegisterPatient(t.Context(),
		commands.RegisterPatient{Tenant: tenant, Name: "Ann Archer"}))
}
