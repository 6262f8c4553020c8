package staff_test

import (
	"testing"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/staff"
)

var (
	monday = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	link   = staff.Link{Digest: staff.DigestOfLink("a secret"), ExpiresAt: monday.Add(staff.LinkLifetime)}
	other  = staff.Link{Digest: staff.DigestOfLink("another secret"), ExpiresAt: monday.Add(staff.LinkLifetime)}
)

func TestStaffWithoutPasswordAreInvited_D64(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Member]
	invite := func(m staff.Member) ([]event.Event, error) { return m.Invite(other) }

	given(drLee).When(invite).Then(t, staff.Invited{Link: other})
	given(drLee, staff.Invited{Link: link}).When(invite).Then(t, staff.Invited{Link: other})
	given(drLee, passwordSet).When(invite).Refuses(t, staff.ErrSignsInSoFar)
	given(drLee, passwordSet, staff.Reset{Link: link}).When(invite).Then(t, staff.Invited{Link: other})
	given(drLee, staff.Deactivated{}).When(invite).Refuses(t, staff.ErrUnknown)
	given().When(invite).Refuses(t, staff.ErrUnknown)
}

func TestOnlyActiveStaffAreReset_D64(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Member]
	reset := func(m staff.Member) ([]event.Event, error) { return m.Reset(other, staff.Second{}) }

	given(drLee).When(reset).Then(t, staff.Reset{Link: other})
	given(drLee, passwordSet).When(reset).Then(t, staff.Reset{Link: other})
	given(drLee, staff.Deactivated{}).When(reset).Refuses(t, staff.ErrUnknown)
	given().When(reset).Refuses(t, staff.ErrUnknown)
}

func TestALinkIsGoodOnceAndForAWhile_D64(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Member]
	chosen := passwordSet
	chosen.Link = link.Digest
	at := func(now time.Time) func(staff.Member) ([]event.Event, error) {
		return func(m staff.Member) ([]event.Event, error) { return m.Accept(chosen, now) }
	}
	invited, last := staff.Invited{Link: link}, link.ExpiresAt.Add(-time.Microsecond)

	given(drLee, invited).When(at(last)).Then(t, chosen)
	given(drLee, passwordSet, staff.Reset{Link: link}).When(at(monday)).Then(t, chosen)
	given(drLee, staff.Deactivated{}, staff.Reactivated{}, invited).When(at(monday)).Then(t, chosen)

	given(drLee, invited).When(at(link.ExpiresAt)).Refuses(t, staff.ErrLink)
	given(drLee, invited, chosen).When(at(monday)).Refuses(t, staff.ErrLink)
	given(drLee, invited, passwordSet).When(at(monday)).Refuses(t, staff.ErrLink)
	given(drLee, invited, staff.Invited{Link: other}).When(at(monday)).Refuses(t, staff.ErrLink)
	given(drLee, invited, staff.Reset{Link: other}).When(at(monday)).Refuses(t, staff.ErrLink)
	given(drLee, invited, staff.Deactivated{}).When(at(monday)).Refuses(t, staff.ErrLink)
	given(drLee, invited, staff.Deactivated{}, staff.Reactivated{}).When(at(monday)).Refuses(t, staff.ErrLink)
	given(drLee).When(at(monday)).Refuses(t, staff.ErrLink)
	given().When(at(monday)).Refuses(t, staff.ErrLink)

	chosen.Link = event.Digest{}
	given(drLee).When(at(monday)).Refuses(t, staff.ErrLink) // a missing link is not the zero link
}

func TestASecretIsNeverTheSame(t *testing.T) {
	t.Parallel()
	one, secret := staff.NewLink(monday)
	two, another := staff.NewLink(monday)
	if secret == another || one.Digest == two.Digest || len(secret) != 52 || one.Digest != staff.DigestOfLink(secret) {
		t.Errorf("secrets %q and %q, digests %s and %s", secret, another, one.Digest, two.Digest)
	}
	if want := monday.Add(72 * time.Hour); !one.ExpiresAt.Equal(want) {
		t.Errorf("it ends at %v, want %v", one.ExpiresAt, want)
	}
}

func TestReactivatedStaffHaveNoPassword_D14(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Member]
	reactivate := func(m staff.Member) ([]event.Event, error) { return m.Reactivate(link, staff.Second{}) }

	given(drLee, passwordSet, staff.Deactivated{}).When(reactivate).Then(t, staff.Reactivated{}, staff.Invited{Link: link})
	given(drLee).When(reactivate).Refuses(t, staff.ErrActive)
	given().When(reactivate).Refuses(t, staff.ErrUnknown)
}
