package staff_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/staff"
)

func TestFormerStaffCanBeErased_D70(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Member]
	asked := erasure.Request{
		Erasure: erasure.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000e8")}, Basis: erasure.UnlawfulProcessing,
		Reason: "registered at the wrong practice", RequestedBy: event.Operator("alice", "alice@desk7"),
		RequestedAt: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC),
	}
	key := erasure.Key{Kind: event.OfStaff, Holder: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000b1"), Fingerprint: "00112233445566778899aabbccddeeff"}
	bob := event.Operator("bob", "bob@desk8")
	joined, left := staff.Registered{Username: "dr.lee", Name: "Lee", Email: "lee@elm.example"}, staff.Deactivated{}
	requested := staff.ErasureRequested{Request: asked}
	withdrawn := staff.ErasureWithdrawn{Withdrawal: erasure.Withdrawal{Erasure: asked.Erasure, Reason: "they are back"}}
	erased := staff.Erased{Done: erasure.Done{
		Erasure: asked.Erasure, Basis: asked.Basis, RequestedBy: asked.RequestedBy, ConfirmedBy: bob, Keys: []erasure.Key{key},
	}}
	request := func(m staff.Member) ([]event.Event, error) { return m.RequestErasure(asked) }
	withdraw := func(m staff.Member) ([]event.Event, error) {
		return m.WithdrawErasure(key.Holder, withdrawn.Withdrawal)
	}
	confirm := func(m staff.Member) ([]event.Event, error) {
		c := erasure.Confirmation{Erasure: asked.Erasure, By: bob, At: asked.RequestedAt.Add(erasure.Soonest)}
		return m.ConfirmErasure(key.Holder, c, []erasure.Key{key})
	}
	again := func(m staff.Member) ([]event.Event, error) {
		return m.EraseAgain(key.Holder, erasure.Reapplied(asked.Erasure, bob, nil)), nil
	}
	comeBack := func(m staff.Member) ([]event.Event, error) { return m.Reactivate(staff.Link{}, staff.Second{}) }

	given(joined, left).When(request).Then(t, requested)
	given(joined).When(request).Refuses(t, staff.ErrStillActive)
	given().When(request).Refuses(t, staff.ErrUnknown)
	given(joined, left, requested).When(withdraw).Then(t, withdrawn)
	given(joined, left).When(withdraw).Refuses(t, erasure.ErrNotRequested)
	given(joined, left, requested, withdrawn).When(confirm).Refuses(t, erasure.ErrNotRequested)
	given(joined, left, requested).When(confirm).Then(t, erased)
	given(joined, left, requested, staff.Reactivated{}).When(confirm).Refuses(t, staff.ErrStillActive)
	gone := given(joined, left, requested, erased)
	gone.When(confirm).Then(t)
	gone.When(again).Then(t)
	gone.When(request).Refuses(t, staff.ErrUnknown)
	gone.When(withdraw).Refuses(t, staff.ErrUnknown)
	gone.When(comeBack).Refuses(t, staff.ErrUnknown)
	given(joined).When(again).Then(t, staff.Erased{Done: erasure.Reapplied(asked.Erasure, bob, nil)})

	// A member that a backup has brought back may not have left yet.
	back := given(joined, erased)
	back.When(staff.Member.Deactivate).Refuses(t, staff.ErrUnknown)
	back.When(func(m staff.Member) ([]event.Event, error) { return m.SetRoles(staff.Roles{staff.Manager}) }).Refuses(t, staff.ErrUnknown)
	eventtest.Decided(staff.Register(staff.Registered{Username: "[erased] dr.lee", Name: "Dr Lee", Email: "lee@elm.example"})).
		Refuses(t, staff.ErrInvalidUsername)

	eventtest.Golden(t, requested, withdrawn, erased)
}
