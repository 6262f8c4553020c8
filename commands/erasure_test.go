package commands_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/practitioner"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// forgetting is a practice with a person to erase, a clock, and two operators.
type forgetting struct {
	commands.Desk
	store *commandtest.Store
	clock *commandtest.Clock
	ann   patient.ID
}

func newForgetting(t *testing.T) *forgetting {
	t.Helper()
	f := &forgetting{store: commandtest.NewStore(), clock: commandtest.NewClock(commandtest.Noon), ann: patient.ID{UUID: event.NewID()}}
	f.Desk = commands.Desk{Store: f.store, Patients: f.store, Staff: f.store, Erasures: f.store, Now: f.clock.Now}
	for stream, events := range map[event.Stream][]event.Event{
		practice.StreamOf(elm):                              {practice.Registered{Name: "Elm Street", TimeZone: "Europe/London"}},
		patient.StreamOf(elm, f.ann):                        {patient.Registered{Patient: f.ann, Name: "Ann"}},
		request.StreamOf(elm, request.ID{UUID: f.ann.UUID}): {request.Submitted{Patient: f.ann, Type: request.Medical}},
	} {
		if _, err := f.store.Append(t.Context(), event.Change{Stream: stream, Events: events}); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func by(t *testing.T, operator string) context.Context {
	t.Helper()
	return event.WithMetadata(t.Context(), event.Metadata{Actor: event.Operator(operator, operator+"@desk")})
}

func (f *forgetting) ask(t *testing.T) commands.ErasureAsked {
	t.Helper()
	asked, err := f.ErasePatient(by(t, "alice"), commands.ErasePatient{Tenant: elm, Patient: f.ann, Basis: erasure.CourtOrder, Reason: " an order "})
	if err != nil {
		t.Fatal(err)
	}
	return asked
}

func (f *forgetting) confirm(t *testing.T, operator string, asked commands.ErasureAsked) error {
	t.Helper()
	return f.ConfirmErasure(by(t, operator), commands.ConfirmErasure{Person: asked.Person, Erasure: asked.Erasure})
}

func TestAPatientIsForgottenByTwoOperators_D70(t *testing.T) {
	t.Parallel()
	f := newForgetting(t)
	asked := f.ask(t)
	if asked.Extent.Events != 2 || asked.From != commandtest.Noon.Add(24*time.Hour) || asked.Until != commandtest.Noon.Add(30*24*time.Hour) {
		t.Errorf("asked %+v", asked)
	}
	if err := f.confirm(t, "bob", asked); !errors.Is(err, erasure.ErrTooSoon) {
		t.Errorf("too soon: %v", err)
	}
	f.clock.Pass(24 * time.Hour)
	if err := f.confirm(t, "alice", asked); !errors.Is(err, erasure.ErrSamePerson) {
		t.Errorf("the same person: %v", err)
	}
	for range 2 { // the second time it is done already
		if err := f.confirm(t, "bob", asked); err != nil {
			t.Fatal(err)
		}
	}
	log := f.store.Log()
	last, ok := log[len(log)-1].Event.(patient.Erased)
	if !ok || len(log) != 5 || last.RequestedBy.ID != "alice" || last.ConfirmedBy.ID != "bob" || len(last.Keys) != 2 || last.Keys[1].Kind != event.OfRequest {
		t.Errorf("the log ends with %+v", log[len(log)-1].Event)
	}
	err := f.RestrictPatientRecord(by(t, "bob"), commands.RestrictPatientRecord{Tenant: elm, Patient: f.ann})
	if !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("restrict an erased record: %v", err)
	}
	_, err = f.RegisterPatient(by(t, "bob"), commands.RegisterPatient{Tenant: elm, Patient: f.ann, Name: "Ann"})
	if !errors.Is(err, patient.ErrErased) {
		t.Errorf("register an erased patient: %v", err)
	}
}

func TestAnErasureIsHeldAndWithdrawn_D70(t *testing.T) {
	t.Parallel()
	f := newForgetting(t)
	asked := f.ask(t)
	f.clock.Pass(48 * time.Hour)
	hold, err := f.HoldErasure(by(t, "carol"), commands.HoldErasure{Tenant: elm, Patient: f.ann, Reason: "a claim"})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.confirm(t, "bob", asked); !errors.Is(err, erasure.ErrHeld) {
		t.Errorf("held: %v", err)
	}
	lift := commands.LiftErasureHold{Tenant: elm, Patient: f.ann, Hold: hold, Reason: "it is settled"}
	if err := f.LiftErasureHold(by(t, "carol"), lift); err != nil {
		t.Fatal(err)
	}
	withdraw := commands.WithdrawErasure{Person: asked.Person, Erasure: asked.Erasure, Reason: "the wrong person"}
	if err := f.WithdrawErasure(by(t, "carol"), withdraw); err != nil {
		t.Fatal(err)
	}
	if err := f.WithdrawErasure(by(t, "carol"), withdraw); !errors.Is(err, erasure.ErrNotRequested) {
		t.Errorf("withdrawn again: %v", err)
	}
	if err := f.confirm(t, "bob", asked); !errors.Is(err, erasure.ErrNotRequested) {
		t.Errorf("withdrawn: %v", err)
	}
	var happened []event.Event
	for _, e := range f.store.Log()[len(f.store.Log())-3:] {
		happened = append(happened, e.Event)
	}
	want := []event.Event{
		patient.ErasureHeld{Patient: f.ann, Hold: erasure.Hold{Hold: hold, Reason: "a claim"}},
		patient.ErasureHoldLifted{Patient: f.ann, Hold: erasure.Hold{Hold: hold, Reason: "it is settled"}},
		patient.ErasureWithdrawn{Patient: f.ann, Withdrawal: erasure.Withdrawal{Erasure: asked.Erasure, Reason: "the wrong person"}},
	}
	if diff := cmp.Diff(want, happened); diff != "" {
		t.Errorf("happened (-want +got):\n%s", diff)
	}
}

func TestStaffAndPractitionersAreForgotten_D70(t *testing.T) {
	t.Parallel()
	f := newForgetting(t)
	lee := staff.ID{UUID: event.NewID()}
	append1 := func(m event.Metadata, change event.Change) {
		t.Helper()
		if _, err := f.store.Append(event.WithMetadata(t.Context(), m), change); err != nil {
			t.Fatal(err)
		}
	}
	act := &event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Jo Day", Email: "jo@other.example"}}
	append1(event.Metadata{Actor: event.Application(event.NewID(), "app", act)}, event.Change{
		Stream: staff.StreamOf(elm, lee), Events: []event.Event{staff.Registered{Username: "dr.lee", Name: "Lee"}, staff.Deactivated{}},
	})
	member, err := f.EraseStaff(by(t, "alice"), commands.EraseStaff{Tenant: elm, Username: "dr.lee", Basis: erasure.RegisteredInError, Reason: "x"})
	if err != nil {
		t.Fatal(err)
	}
	jo, err := f.ErasePractitioner(by(t, "alice"), commands.ErasePractitioner{Tenant: elm, Email: "Jo@Other.example", Basis: erasure.CourtOrder, Reason: "x"})
	if err != nil {
		t.Fatal(err)
	}
	f.clock.Pass(48 * time.Hour)
	for _, asked := range []commands.ErasureAsked{member, jo} {
		if err := f.confirm(t, "bob", asked); err != nil {
			t.Error(err)
		}
	}
	_, err = f.EraseStaff(by(t, "alice"), commands.EraseStaff{Tenant: elm, Username: "dr.lee", Basis: erasure.CourtOrder, Reason: "x"})
	if !errors.Is(err, staff.ErrUnknown) {
		t.Errorf("ask for who is erased: %v", err)
	}
	_, err = f.ErasePractitioner(by(t, "alice"), commands.ErasePractitioner{Tenant: elm, Email: "nobody@other.example", Basis: erasure.CourtOrder, Reason: "x"})
	if !errors.Is(err, practitioner.ErrUnknown) {
		t.Errorf("ask for a stranger: %v", err)
	}
}

// A restored backup may hold the patient, with fewer requests, or not know them at all.
func TestAnErasureIsAppliedAgain_D71(t *testing.T) {
	t.Parallel()
	f := newForgetting(t)
	again := commands.ReapplyErasure{
		Person: erasure.Person{Tenant: elm, Kind: event.OfPatient, Holder: f.ann.UUID}, Erasure: erasure.ID{UUID: event.NewID()},
	}
	unknown := again
	unknown.Holder = event.NewID()
	for _, c := range []commands.ReapplyErasure{again, again, unknown} {
		if err := f.ReapplyErasure(by(t, "bob"), c); err != nil {
			t.Fatal(err)
		}
	}
	var bases []erasure.Basis
	for _, e := range f.store.Log() {
		if erased, ok := e.Event.(patient.Erased); ok {
			bases = append(bases, erased.Basis)
		}
	}
	if diff := cmp.Diff([]erasure.Basis{erasure.Restored, erasure.Restored}, bases); diff != "" {
		t.Error(diff)
	}
}
