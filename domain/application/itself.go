package application

import (
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Every is how often an application may ask for what it can have done for itself.
const Every = time.Minute

// ErrTooSoon refuses what was asked for less than a minute ago. Its RetryAt says when it
// may be asked for again.
var ErrTooSoon = fault.New(fault.RateLimited, "rate-limited", "This may be asked for once a minute. Try again later.")

// KeySetReread says that key sets of the application that were read before are not used
// any more, by any process.
type KeySetReread struct {
	Application ID        `json:"application"`
	At          time.Time `json:"at"` // later than in any earlier event
}

// WebhookTestRequested says that the application asked for a webhook that tells of
// nothing. It is sent to the address that is registered for a kind of event.
type WebhookTestRequested struct {
	Application ID           `json:"application"`
	Event       WebhookEvent `json:"event"`
	At          time.Time    `json:"at"`
}

// EventName returns the name that the event is stored under.
func (KeySetReread) EventName() string { return "application.key-set-reread.v1" }

// EventName returns the name that the event is stored under.
func (WebhookTestRequested) EventName() string { return "application.webhook-test-requested.v1" }

// RereadStream returns the stream of the times at which an application's key set was to be
// read again on the day (UTC) of an instant. It is not the application's own, which every
// decision about it reads: whoever holds a token of the application decides how long this
// one gets.
func RereadStream(id ID, at time.Time) event.Stream {
	return event.Stream{ID: event.DerivedID("key-set-reread", id.String(), at.UTC().Format(time.DateOnly))}
}

// WebhookTestStream returns the stream of the test webhooks that an application asked for
// at a practice on the day (UTC) of an instant.
func WebhookTestStream(tenant string, id ID, at time.Time) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("webhook-test", tenant, id.String(), at.UTC().Format(time.DateOnly))}
}

// Asked is when an application last asked for one of these.
type Asked struct{ last time.Time }

// RereadKeySet has the application's key set read again (rule 7).
func (a Asked) RereadKeySet(id ID, now time.Time) ([]event.Event, error) {
	if err := TooSoon(a.last, now); err != nil {
		return nil, err
	}
	return []event.Event{KeySetReread{id, now}}, nil
}

// TestWebhook has a test webhook sent to the application (rule 7).
func (a Asked) TestWebhook(id ID, kind WebhookEvent, now time.Time) ([]event.Event, error) {
	if err := TooSoon(a.last, now); err != nil {
		return nil, err
	}
	return []event.Event{WebhookTestRequested{id, kind, now}}, nil
}

// TooSoon returns [ErrTooSoon] if the last time is less than a minute ago. A zero time is
// long ago.
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

// Events returns the events of the streams of a day's re-reads and webhook tests.
func (Asked) Events() []event.Event { return []event.Event{KeySetReread{}, WebhookTestRequested{}} }
