package staff_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/staff"
)

var (
	resetAsker = event.Staff(uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d1"))
	resetOther = event.Staff(uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d2"))
	resetAsked = staff.ResetRequested{ResetRequest: staff.ResetRequest{
		Reset: staff.ResetID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d3")}, RequestedBy: resetAsker,
		RequestedAt: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC),
	}}
)

func TestResetOfPasskeyHolderTakesTwoPeopleOrADay_D141(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Member]
	key := staff.PasskeyAdded{Passkey: staff.PasskeyID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d4")}, Name: "phone"}
	request := func(m staff.Member) ([]event.Event, error) { return m.RequestReset(resetAsked.ResetRequest) }
	second := func(by event.Actor, after time.Duration, depends error) staff.Second {
		return staff.Second{By: by, At: resetAsked.RequestedAt.Add(after), Request: resetAsked.Reset, Depends: depends}
	}
	reset := func(by staff.Second) func(staff.Member) ([]event.Event, error) {
		return func(m staff.Member) ([]event.Event, error) { return m.Reset(link, by) }
	}
	reactivate := func(by staff.Second) func(staff.Member) ([]event.Event, error) {
		return func(m staff.Member) ([]event.Event, error) { return m.Reactivate(link, by) }
	}
	withdraw := func(m staff.Member) ([]event.Event, error) { return m.WithdrawReset(resetAsked.Reset) }
	const day = 24 * time.Hour
	done := staff.Reset{Link: link}
	dependent := errors.New("one opened the other's account")

	given(drLee, passwordSet).When(reset(staff.Second{})).Then(t, done)
	given(drLee, passwordSet).When(request).Refuses(t, staff.ErrResetAtOnce)
	given(drLee, passwordSet, key).When(request).Then(t, resetAsked)
	given(drLee, passwordSet, key, staff.Deactivated{}).When(request).Then(t, resetAsked)
	given(drLee, passwordSet, key, resetAsked).When(request).Refuses(t, staff.ErrResetRequested)
	given().When(request).Refuses(t, staff.ErrUnknown)

	waiting := given(drLee, passwordSet, key, resetAsked)
	given(drLee, passwordSet, key).When(reset(second(resetOther, day, nil))).Refuses(t, staff.ErrResetNotRequested)
	waiting.When(reset(second(resetOther, 0, nil))).Then(t, done)
	waiting.When(reset(second(resetOther, 0, dependent))).Refuses(t, staff.ErrResetDependent)
	waiting.When(reset(second(resetOther, day, dependent))).Then(t, done)
	waiting.When(reset(second(resetAsker, day-time.Microsecond, nil))).Refuses(t, staff.ErrResetWaits)
	waiting.When(reset(second(event.Operator("alice", "").ActingFor(resetAsker.Member()), 0, nil))).Refuses(t, staff.ErrResetWaits)
	waiting.When(reset(second(resetAsker, day, nil))).Then(t, done)
	waiting.When(reset(second(resetAsker, 7*day, nil))).Refuses(t, staff.ErrResetNotRequested)
	of := second(resetOther, 0, nil)
	of.Request = staff.ResetID{UUID: uuid.New()} // judged by another request
	waiting.When(reset(of)).Refuses(t, staff.ErrResetNotRequested)

	waiting.When(withdraw).Then(t, staff.ResetWithdrawn{Reset: resetAsked.Reset})
	given(drLee, passwordSet, key, resetAsked, staff.ResetWithdrawn{Reset: resetAsked.Reset}).When(reset(second(resetAsker, day, nil))).Refuses(t, staff.ErrResetNotRequested)
	given(drLee, passwordSet, key, resetAsked, done).When(withdraw).Refuses(t, staff.ErrNoResetRequest)
	given(drLee, passwordSet, key, resetAsked, done, passwordSet, key).When(reset(second(resetAsker, day, nil))).Refuses(t, staff.ErrResetNotRequested)

	// Deactivating and reactivating somebody is no way round.
	left := given(drLee, passwordSet, key, staff.Deactivated{})
	left.When(reactivate(second(resetAsker, 0, nil))).Refuses(t, staff.ErrResetNotRequested)
	given(drLee, passwordSet, key, staff.Deactivated{}, resetAsked).When(reactivate(second(resetAsker, 0, nil))).Refuses(t, staff.ErrResetWaits)
	given(drLee, passwordSet, key, staff.Deactivated{}, resetAsked).When(reactivate(second(resetOther, 0, nil))).Then(t, staff.Reactivated{}, staff.Invited{Link: link})
	given(drLee, passwordSet, staff.Deactivated{}).When(reactivate(staff.Second{})).Then(t, staff.Reactivated{}, staff.Invited{Link: link})
}
