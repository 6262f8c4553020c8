package application_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/fault"
)

var (
	referrals = application.ID{UUID: uuid.MustParse("0195b5a0-0000-7000-8000-00000000000a")}
	noon      = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	reread    = application.KeySetReread{Application: referrals, At: noon}
	tested    = application.WebhookTestRequested{Application: referrals, Event: application.RecordOpened, At: noon}
)

func TestOwnActionsAreOncePerMinute_D94(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[application.Asked]
	rereadAt := func(now time.Time) func(application.Asked) (events, error) {
		return func(a application.Asked) (events, error) { return a.RereadKeySet(referrals, now) }
	}
	testAt := func(now time.Time) func(application.Asked) (events, error) {
		return func(a application.Asked) (events, error) { return a.TestWebhook(referrals, tested.Event, now) }
	}
	again := reread
	again.At = noon.Add(time.Minute)

	given().When(rereadAt(noon)).Then(t, reread)
	given(reread).When(rereadAt(noon.Add(time.Minute-time.Microsecond))).Refuses(t, application.ErrTooSoon)
	given(reread).When(rereadAt(noon.Add(-time.Second))).Refuses(t, application.ErrTooSoon) // another machine's clock
	given(reread).When(rereadAt(again.At)).Then(t, again)
	given(reread, again).When(rereadAt(again.At.Add(time.Second))).Refuses(t, application.ErrTooSoon)
	given().When(testAt(noon)).Then(t, tested)
	given(tested).When(testAt(noon.Add(time.Second))).Refuses(t, application.ErrTooSoon)

	refusal, _ := errors.AsType[*fault.Error](application.TooSoon(noon, noon.Add(time.Second)))
	if refusal == nil || !refusal.RetryAt.Equal(again.At) {
		t.Errorf("it may be asked for again at %v", refusal)
	}
}

// Each day and kind has a different stream.
func TestStreamsOfOwnActionsDiffer_D94(t *testing.T) {
	t.Parallel()
	diary, tomorrow := application.ID{UUID: uuid.MustParse("0195b5a0-0000-7000-8000-00000000000b")}, noon.Add(12*time.Hour)
	seen := map[event.Stream]bool{application.StreamOf(referrals): true}
	for _, stream := range []event.Stream{
		application.RereadStream(referrals, noon), application.RereadStream(referrals, tomorrow), application.RereadStream(diary, noon),
		application.WebhookTestStream("elm", referrals, noon), application.WebhookTestStream("elm", referrals, tomorrow),
		application.WebhookTestStream("elm", diary, noon), application.WebhookTestStream("oak", referrals, noon),
	} {
		if seen[stream] {
			t.Errorf("%v is the stream of two", stream)
		}
		seen[stream] = true
	}
	if application.RereadStream(referrals, noon) != application.RereadStream(referrals, tomorrow.Add(-1)) {
		t.Error("a day has two streams")
	}
}

func TestATestGoesToARegisteredAddress_D94(t *testing.T) {
	t.Parallel()
	set := application.WebhookSet{Event: application.RecordOpened, URL: "https://app.example/hook"}
	known := event.Fold[app](registered, set)
	if url, err := known.WebhookOf(application.RecordOpened); url != set.URL || err != nil {
		t.Errorf("%s, %v", url, err)
	}
	const (
		unknown  = "unknown-event: The event must be record.opened, consultation.started, callin.notification.shown, callin.notification.removed or request.replied."
		homeless = "webhook-not-registered: No address is registered for webhooks of this event. Ask the operator of the service to register one."
	)
	for kind, want := range map[application.WebhookEvent]string{application.CallInShown: homeless, application.Ping: unknown, "": unknown} {
		if url, err := known.WebhookOf(kind); url != "" || err == nil || err.Error() != want {
			t.Errorf("%q: %s, %v", kind, url, err)
		}
	}
	if _, err := event.Fold[app]().WebhookOf(application.RecordOpened); !errors.Is(err, application.ErrUnknown) {
		t.Error(err)
	}
	given := eventtest.Given[app](registered)
	given.When(func(a app) (events, error) { return a.SetWebhook(application.Ping, set.URL) }).Refuses(t, application.ErrUnknownEvent)
}
