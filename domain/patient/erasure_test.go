package patient_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
)

var (
	alice = event.Operator("alice", "alice@desk7")
	bob   = event.Operator("bob", "bob@desk8")
	noon  = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

	erased7 = erasure.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000e7")}
	hold1   = erasure.HoldID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f1")}
	key     = erasure.Key{Kind: event.OfPatient, Holder: ann.UUID, Fingerprint: "00112233445566778899aabbccddeeff"}

	asked     = erasure.Request{Erasure: erased7, Basis: erasure.RetentionEnded, Reason: "ten years have passed", RequestedBy: alice, RequestedAt: noon}
	requested = patient.ErasureRequested{Patient: ann, Request: asked}
	withdrawn = patient.ErasureWithdrawn{Patient: ann, Withdrawal: erasure.Withdrawal{Erasure: erased7, Reason: "the wrong person"}}
	held      = patient.ErasureHeld{Patient: ann, Hold: erasure.Hold{Hold: hold1, Reason: "a claim"}}
	unheld    = patient.ErasureHoldLifted{Patient: ann, Hold: erasure.Hold{Hold: hold1, Reason: "it is settled"}}
	erased    = patient.Erased{Patient: ann, Done: erasure.Done{
		Erasure: erased7, Basis: erasure.RetentionEnded, RequestedBy: alice, ConfirmedBy: bob, Keys: []erasure.Key{key},
	}}
)

func request(change func(*erasure.Request)) func(patient.Patient) ([]event.Event, error) {
	r := asked
	change(&r)
	return func(p patient.Patient) ([]event.Event, error) { return p.RequestErasure(ann, r) }
}

func confirm(by event.Actor, after time.Duration) func(patient.Patient) ([]event.Event, error) {
	return func(p patient.Patient) ([]event.Event, error) {
		return p.ConfirmErasure(ann.UUID, erasure.Confirmation{Erasure: erased7, By: by, At: noon.Add(after)}, []erasure.Key{key})
	}
}

func TestErasingTakesTwoPeopleAndADay_D70(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[patient.Patient]
	const day = 24 * time.Hour

	given(registered).When(request(func(*erasure.Request) {})).Then(t, requested)
	given(registered, requested).When(confirm(bob, day)).Then(t, erased)
	given(registered, requested).When(confirm(bob, 30*day)).Then(t, erased)
	given(registered, requested).When(confirm(bob, day-time.Second)).Refuses(t, erasure.ErrTooSoon)
	given(registered, requested).When(confirm(bob, 30*day+time.Second)).Refuses(t, erasure.ErrNotRequested)
	given(registered, requested).When(confirm(alice, day)).Refuses(t, erasure.ErrSamePerson)
	given(registered, requested).When(confirm(event.Operator("alice", "bob@desk8"), day)).Refuses(t, erasure.ErrSamePerson)
	given(registered, requested).When(confirm(event.Service("frontdesk"), day)).Refuses(t, erasure.ErrNoPerson)
	given(registered).When(confirm(bob, day)).Refuses(t, erasure.ErrNotRequested)
	given().When(confirm(bob, day)).Refuses(t, patient.ErrUnknown)
}

// Two operators who act for one member of staff, and a member and a person who acts for them, may
// be one person.
func TestOperatorForMemberIsSamePerson_D70(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[patient.Patient]
	forLee := patient.ErasureRequested{Patient: ann, Request: asked}
	forLee.RequestedBy = alice.ActingFor(drLee.UUID)
	for _, second := range []event.Actor{bob.ActingFor(drLee.UUID), event.Staff(drLee.UUID)} {
		given(registered, forLee).When(confirm(second, 48*time.Hour)).Refuses(t, erasure.ErrSamePerson)
	}
	through := event.Staff(uuid.New()).Through(uuid.New(), "user", nil)
	given(registered, forLee).When(confirm(through, 48*time.Hour)).Refuses(t, erasure.ErrNoPerson)
}

func TestErasureNeedsBasisAndReason_D70(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[patient.Patient]
	later := func(r *erasure.Request) { r.RequestedAt = noon.Add(erasure.Latest + time.Second) }
	renewed := requested
	later(&renewed.Request)

	given(registered).When(request(func(r *erasure.Request) { r.Basis = "tidiness" })).Refuses(t, erasure.ErrNoBasis)
	given(registered).When(request(func(r *erasure.Request) { r.Basis = erasure.Restored })).Refuses(t, erasure.ErrNoBasis)
	given(registered).When(request(func(r *erasure.Request) { r.Reason = " " })).Refuses(t, parse.ErrInvalidReason)
	given(registered).When(request(func(r *erasure.Request) { r.RequestedBy = event.Application(uuid.New(), "app", nil) })).Refuses(t, erasure.ErrNoPerson)
	given(registered, requested).When(request(func(*erasure.Request) {})).Refuses(t, erasure.ErrRequested)
	given(registered, requested).When(request(later)).Then(t, renewed)
	given().When(request(func(*erasure.Request) {})).Refuses(t, patient.ErrUnknown)
}

func TestARequestForAnErasureIsWithdrawn_D70(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[patient.Patient]
	withdraw := func(w erasure.Withdrawal) func(patient.Patient) ([]event.Event, error) {
		return func(p patient.Patient) ([]event.Event, error) { return p.WithdrawErasure(ann.UUID, w) }
	}
	given(registered, requested).When(withdraw(withdrawn.Withdrawal)).Then(t, withdrawn)
	given(registered, requested).When(withdraw(erasure.Withdrawal{Erasure: erased7})).Refuses(t, parse.ErrInvalidReason)
	given(registered, requested).When(withdraw(erasure.Withdrawal{Reason: "x"})).Refuses(t, erasure.ErrNotRequested)
	given(registered, requested, withdrawn).When(confirm(bob, 48*time.Hour)).Refuses(t, erasure.ErrNotRequested)
	given(registered, requested, withdrawn).When(request(func(*erasure.Request) {})).Then(t, requested)
	given().When(withdraw(withdrawn.Withdrawal)).Refuses(t, patient.ErrUnknown)
}

func TestNothingIsErasedUnderAHold_D70(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[patient.Patient]
	hold := func(p patient.Patient) ([]event.Event, error) { return p.HoldErasure(ann, held.Hold) }
	lift := func(p patient.Patient) ([]event.Event, error) { return p.LiftErasureHold(ann, unheld.Hold) }
	other := patient.ErasureHeld{Patient: ann, Hold: erasure.Hold{Hold: erasure.HoldID{UUID: uuid.New()}, Reason: "an inquiry"}}

	given(registered).When(hold).Then(t, held)
	given(registered, held).When(lift).Then(t, unheld)
	given(registered, held, unheld).When(lift).Refuses(t, erasure.ErrNoHold)
	given(registered, requested, held).When(confirm(bob, 48*time.Hour)).Refuses(t, erasure.ErrHeld)
	given(registered, held, requested, unheld, other).When(confirm(bob, 48*time.Hour)).Refuses(t, erasure.ErrHeld)
	given(registered, held, requested, unheld).When(confirm(bob, 48*time.Hour)).Then(t, erased)
	given(registered).When(func(p patient.Patient) ([]event.Event, error) { return p.HoldErasure(ann, erasure.Hold{}) }).Refuses(t, parse.ErrInvalidReason)
	given().When(hold).Refuses(t, patient.ErrUnknown)
	given().When(lift).Refuses(t, patient.ErrUnknown)
}

func TestErasedPatientIsUnknown_D70(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[patient.Patient]
	gone := given(registered, requested, erased)
	gone.When(register("Ann Archer", "")).Refuses(t, patient.ErrErased)
	gone.When(request(func(*erasure.Request) {})).Refuses(t, patient.ErrUnknown)
	gone.When(func(p patient.Patient) ([]event.Event, error) { return p.HoldErasure(ann, held.Hold) }).Refuses(t, patient.ErrUnknown)
	gone.When(func(p patient.Patient) ([]event.Event, error) {
		return p.WithdrawErasure(ann.UUID, withdrawn.Withdrawal)
	}).Refuses(t, patient.ErrUnknown)
	gone.When(func(p patient.Patient) ([]event.Event, error) { return p.LiftRestriction(ann) }).Refuses(t, patient.ErrUnknown)
	gone.When(confirm(bob, 48*time.Hour)).Then(t) // it is done
	gone.When(func(p patient.Patient) ([]event.Event, error) {
		return p.ConfirmErasure(ann.UUID, erasure.Confirmation{Erasure: erasure.ID{UUID: uuid.New()}, By: bob, At: noon}, nil)
	}).Refuses(t, patient.ErrUnknown)
}

func TestARestoredPatientIsErasedAgain_D71(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[patient.Patient]
	again := erasure.Reapplied(erased7, bob, []erasure.Key{key})
	erase := func(p patient.Patient) ([]event.Event, error) { return p.EraseAgain(ann.UUID, again), nil }
	want := patient.Erased{Patient: ann, Done: erasure.Done{
		Erasure: erased7, Basis: erasure.Restored, RequestedBy: bob, ConfirmedBy: bob, Keys: []erasure.Key{key},
	}}
	given(registered, held).When(erase).Then(t, want)
	given().When(erase).Then(t, want)
	given(registered, requested, erased).When(erase).Then(t)
}

func TestStoredErasures(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, requested, withdrawn, held, unheld, erased)
}
