package practitioner_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/practitioner"
)

func TestAPractitionerIsForgotten_D70(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practitioner.Practitioner]
	who := practitioner.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d1")}
	asked := erasure.Request{
		Erasure: erasure.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000e9")}, Basis: erasure.CourtOrder,
		Reason: "order of 2 March", RequestedBy: event.Operator("alice", "alice@desk7"), RequestedAt: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC),
	}
	bob := event.Operator("bob", "bob@desk8")
	keys := []erasure.Key{{Kind: event.OfPractitioner, Holder: who.UUID, Fingerprint: "00112233445566778899aabbccddeeff"}}
	requested := practitioner.ErasureRequested{Practitioner: who, Request: asked}
	withdrawn := practitioner.ErasureWithdrawn{Practitioner: who, Withdrawal: erasure.Withdrawal{Erasure: asked.Erasure, Reason: "order lifted"}}
	erased := practitioner.Erased{Practitioner: who, Done: erasure.Done{
		Erasure: asked.Erasure, Basis: asked.Basis, RequestedBy: asked.RequestedBy, ConfirmedBy: bob, Keys: keys,
	}}
	request := func(p practitioner.Practitioner) ([]event.Event, error) { return p.RequestErasure(who, asked) }
	withdraw := func(p practitioner.Practitioner) ([]event.Event, error) {
		return p.WithdrawErasure(who.UUID, withdrawn.Withdrawal)
	}
	confirm := func(p practitioner.Practitioner) ([]event.Event, error) {
		c := erasure.Confirmation{Erasure: asked.Erasure, By: bob, At: asked.RequestedAt.Add(erasure.Soonest)}
		return p.ConfirmErasure(who.UUID, c, keys)
	}
	again := func(p practitioner.Practitioner) ([]event.Event, error) {
		return p.EraseAgain(who.UUID, erasure.Reapplied(asked.Erasure, bob, keys)), nil
	}

	given().When(request).Then(t, requested)
	given(requested).When(withdraw).Then(t, withdrawn)
	given(requested).When(confirm).Then(t, erased)
	given(requested, withdrawn).When(confirm).Refuses(t, erasure.ErrNotRequested)
	given().When(again).Then(t, practitioner.Erased{Practitioner: who, Done: erasure.Reapplied(asked.Erasure, bob, keys)})
	gone := given(requested, erased)
	gone.When(confirm).Then(t)
	gone.When(again).Then(t)
	gone.When(request).Refuses(t, practitioner.ErrUnknown)
	gone.When(withdraw).Refuses(t, practitioner.ErrUnknown)

	eventtest.Golden(t, requested, withdrawn, erased)
}
