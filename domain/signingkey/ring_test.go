package signingkey_test

import (
	"testing"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/signingkey"
)

type (
	ring   = signingkey.Ring
	events = []event.Event
)

var (
	noon    = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	nextDay = noon.Add(signingkey.StagedFor)
	first   = keyOf(rfc7638)
	second  = keyOf(signingkey.PublicKey{N: shifted(rfc7638.N), E: "AQAB"})
)

func keyOf(p signingkey.PublicKey) signingkey.Key {
	return signingkey.Key{KID: p.KID(), PublicKey: p}
}

// shifted is another modulus of the same length: its first digit differs.
func shifted(n string) string { return "1" + n[1:] }

func staged(k signingkey.Key, at time.Time) event.Event { return signingkey.Staged{Key: k, At: at} }
func active(k signingkey.Key, at time.Time) event.Event { return signingkey.Activated{Key: k, At: at} }
func retiring(k signingkey.Key, at time.Time) event.Event {
	return signingkey.RetirementBegun{Key: k, At: at}
}
func retired(k signingkey.Key, at time.Time) event.Event { return signingkey.Retired{Key: k, At: at} }

func stage(k signingkey.Key, now time.Time) func(ring) (events, error) {
	return func(r ring) (events, error) { return r.Stage(k.PublicKey, now) }
}
func activate(k signingkey.Key, now time.Time) func(ring) (events, error) {
	return func(r ring) (events, error) { return r.Activate(k.KID, now) }
}
func retire(k signingkey.Key, now time.Time) func(ring) (events, error) {
	return func(r ring) (events, error) { return r.Retire(k.KID, now) }
}

func TestAKeyIsStagedOnce_D34(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[ring]

	given().When(stage(first, noon)).Then(t, staged(first, noon))
	given(staged(first, noon)).When(stage(second, noon)).Then(t, staged(second, noon))
	given(staged(first, noon)).When(stage(first, nextDay)).Refuses(t, signingkey.ErrExists)
	given(staged(first, noon), retired(first, noon)).When(stage(first, nextDay)).Refuses(t, signingkey.ErrExists)
}

func TestOnlyFitKeysAreStaged_D34(t *testing.T) {
	t.Parallel()
	for name, unfit := range map[string]signingkey.PublicKey{
		"nothing":       {},
		"too short":     {N: rfc7638.N[:300], E: "AQAB"},
		"even exponent": {N: rfc7638.N, E: "AQAA"},
		"exponent 1":    {N: rfc7638.N, E: "AQ"},
		"padded":        {N: rfc7638.N, E: "AQAB=="},
		"standard":      {N: "+" + rfc7638.N[1:], E: "AQAB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eventtest.Given[ring]().When(stage(signingkey.Key{PublicKey: unfit}, noon)).Refuses(t, signingkey.ErrUnfit)
		})
	}
}

func TestActivationWaits24HoursIfKeyActive_D34(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[ring]
	history := events{staged(first, noon), active(first, noon), staged(second, noon)}

	given(staged(first, noon)).When(activate(first, noon)).Then(t, active(first, noon))
	given(history...).When(activate(second, nextDay.Add(-time.Microsecond))).Refuses(t, signingkey.ErrTooYoung)
	given(history...).When(activate(second, nextDay)).Then(t, retiring(first, nextDay), active(second, nextDay))
	given(history...).When(activate(first, nextDay)).Then(t)
	given(append(history, retiring(first, noon))...).When(activate(second, noon)).Then(t, active(second, noon))
	given(append(history, retiring(first, noon))...).When(activate(first, nextDay)).Refuses(t, signingkey.ErrNotStaged)
	given(staged(first, noon), retired(first, noon)).When(activate(first, nextDay)).Refuses(t, signingkey.ErrNotStaged)
	given().When(activate(first, noon)).Refuses(t, signingkey.ErrUnknown)
}

func TestTheFirstKeyOfAllSignsAtOnce_D34(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[ring]
	begin := func(r ring) (events, error) { return r.Begin(first.PublicKey, noon) }

	given().When(begin).Then(t, staged(first, noon), active(first, noon))
	given(staged(second, noon)).When(begin).Then(t)
	given(staged(second, noon), active(second, noon), retiring(second, noon)).When(begin).Then(t)
	given().When(func(r ring) (events, error) { return r.Begin(signingkey.PublicKey{}, noon) }).Refuses(t, signingkey.ErrUnfit)
}

func TestARetiringKeyStaysPublishedFor24Hours_D34(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[ring]
	history := events{staged(first, noon), active(first, noon), retiring(first, noon)}

	given(history...).When(retire(first, nextDay.Add(-time.Microsecond))).Refuses(t, signingkey.ErrTooSoon)
	given(history...).When(retire(first, nextDay)).Then(t, retired(first, nextDay))
	given(append(history, retired(first, nextDay))...).When(retire(first, nextDay)).Then(t)
	given().When(retire(first, noon)).Refuses(t, signingkey.ErrUnknown)
}

func TestAKeyThatNeverSignedIsRetiredAtOnce_D34(t *testing.T) {
	t.Parallel()
	eventtest.Given[ring](staged(first, noon)).When(retire(first, noon)).Then(t, retired(first, noon))
}

func TestAStolenKeyStopsSigningAtOnce_D34(t *testing.T) {
	t.Parallel()
	history := events{staged(first, noon), active(first, noon)}
	eventtest.Given[ring](history...).When(retire(first, noon)).Then(t, retiring(first, noon))
	if _, found := event.Fold[ring](append(history, retiring(first, noon))...).Active(); found {
		t.Error("a retiring key is active")
	}
	if key, found := event.Fold[ring](history...).Active(); !found || key != first {
		t.Errorf("active = %v, %t", key, found)
	}
}

func TestApplyLeavesOlderStatesAlone(t *testing.T) {
	t.Parallel()
	before := event.Fold[ring](staged(first, noon))
	before.Apply(active(first, noon))
	if _, found := before.Active(); found {
		t.Error("an older state has changed")
	}
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, staged(first, noon), active(first, noon), retiring(first, noon), retired(first, noon))
}
