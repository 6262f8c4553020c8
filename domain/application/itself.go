package application

import (
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Every is the minimum interval of an application's actions about itself.
const Every = time.Minute

// ErrTooSoon refuses a repetition after less than a minute. Its RetryAt is when it is
// allowed again.
var ErrTooSoon = fault.New(fault.RateLimited, "rate-limited", "This may be asked for once a minute. Try again later.")

// KeySetReread records that no process may use key sets of the application that it
// fetched before.
type KeySetReread struct {
	Application ID        `json:"application"`
	At          time.Time `json:"at"` // later than in any earlier event
}

// WebhookTestRequested records that the application requested a webhook without an
// event. It is sent to the address of a kind of event.
type WebhookTestRequested struct {
	Application ID           `json:"application"`
	Event       WebhookEvent `json:"event"`
	At          time.Time    `json:"at"`
}

// EventName returns the name that the event is stored under.
func (KeySetReread) EventName() string { return "application.key-set-reread.v1" }

// EventName returns the name that the event is stored under.
func (WebhookTestRequested) EventName() string { return "application.webhook-test-requested.v1" }

// RereadStream returns the stream of an application's requests to fetch its key set
// again, on the day (UTC) of an instant. It is not the application's own stream, which
// every decision about it reads: any holder of a token of the application controls the
// length of this one.
func RereadStream(id ID, at time.Time) event.Stream {
	return event.Stream{ID: event.DerivedID("key-set-reread", id.String(), at.UTC().Format(time.DateOnly))}
}

// WebhookTestStream returns the stream of the test webhooks that an application
// requested at a practice on the day (UTC) of an instant.
func WebhookTestStream(tenant string, id ID, at time.Time) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("webhook-test", tenant, id.String(), at.UTC().Format(time.DateOnly))}
}

// Asked is the time of an application's last action of a kind.
type Asked struct{ last time.Time }

// RereadKeySet requests that the application's key set is fetched again (rule 7).
func (a Asked) RereadKeySet(id ID, now time.Time) ([]event.Event, error) {
	if err := TooSoon(a.last, now); err != nil {
		return nil, err
	}
	return []event.Event{KeySetReread{id, now}}, nil
}

// TestWebhook requests a test webhook for the application (rule 7).
func (a Asked) TestWebhook(id ID, kind WebhookEvent, now time.Time) ([]event.Event, error) {
	if err := TooSoon(a.last, now); err != nil {
		return nil, err
	}
	return []event.Event{WebhookTestRequested{id, kind, now}}, nil
}

// TooSoon returns [ErrTooSoon] if the last time is less than a minute ago. A zero time
// is long ago.
func TooSoon(last, now time.Time) error {
	if again := last.Add(Every); now.Before(again) {
		return ErrTooSoon.Until(again)
	}
	return nil
}

// Apply returns the state after the event.
func (a Asked) Apply(e event.Event) Asked {
	switch e := e.(type) {
	case KeySetReread:
		a.last = e.At
	case WebhookTestRequested:
		a.last = e.At
	}
	return a
}

// Events returns the events of the streams of a day's key set re-reads and webhook
// tests.
func (Asked) Events() []event.Event { return []event.Event{KeySetReread{}, WebhookTestRequested{}} }
