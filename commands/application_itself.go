package commands

import (
	"context"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

// RereadKeySet makes every process fetch an application's key set again.
type RereadKeySet struct{ Application application.ID }

// RereadKeySet returns an instant of the log: key sets that were fetched before the
// process saw the event are no longer used. A process fetches the set again at the next
// call. It refuses with application.ErrTooSoon if less than a minute has passed.
func (d Desk) RereadKeySet(ctx context.Context, c RereadKeySet) (time.Time, error) {
	app, err := Load[application.Application](ctx, d.Store, application.StreamOf(c.Application))
	if err != nil {
		return time.Time{}, err
	}
	if err := app.Known(); err != nil {
		return time.Time{}, err
	}
	var at time.Time
	streamOf := func(day time.Time) event.Stream { return application.RereadStream(c.Application, day) }
	err = d.onceAMinute(ctx, event.NewID(), streamOf, func(a application.Asked, now time.Time) ([]event.Event, error) {
		at = now
		return a.RereadKeySet(c.Application, now)
	})
	return at, err
}

// TestWebhook sends an application a webhook without an event, along the path of real
// ones.
type TestWebhook struct {
	Tenant      string // the practice it is sent for, which must have enabled the application
	Application application.ID
	Event       application.WebhookEvent // the event whose URL it is sent to
}

// WebhookTest is a test webhook that will be sent.
type WebhookTest struct {
	ID  uuid.UUID // its jti
	URL string    // its destination, unless that is changed before
}

// TestWebhook refuses with access.ErrNotEnabled, application.ErrUnknownEvent or
// ErrWebhookNotRegistered, and with ErrTooSoon if less than a minute has passed at this
// practice.
func (d Desk) TestWebhook(ctx context.Context, c TestWebhook) (WebhookTest, error) {
	at, err := Load[practice.Enablement](ctx, d.Store, practice.EnablementStream(c.Tenant, c.Application))
	if err != nil {
		return WebhookTest{}, err
	}
	if !at.Enabled() {
		return WebhookTest{}, access.ErrNotEnabled
	}
	app, err := Load[application.Application](ctx, d.Store, application.StreamOf(c.Application))
	if err != nil {
		return WebhookTest{}, err
	}
	url, err := app.WebhookOf(c.Event)
	if err != nil {
		return WebhookTest{}, err
	}
	streamOf := func(day time.Time) event.Stream { return application.WebhookTestStream(c.Tenant, c.Application, day) }
	id := event.NewID()
	err = d.onceAMinute(ctx, id, streamOf, func(a application.Asked, now time.Time) ([]event.Event, error) {
		return a.TestWebhook(c.Application, c.Event, now)
	})
	return WebhookTest{id, url}, err
}

// onceAMinute appends the one event that is decided from the recent ones, under an
// identifier. Each day has a stream of its own; in the first minute of a day, that of
// the day before counts.
func (d Desk) onceAMinute(ctx context.Context, id uuid.UUID, streamOf func(time.Time) event.Stream,
	decide func(application.Asked, time.Time) ([]event.Event, error),
) error {
	return retry(ctx, func() error {
		now := d.instant()
		today, lately := streamOf(now), streamOf(now.Add(-application.Every))
		history, err := d.Store.Load(ctx, today)
		if err != nil {
			return err
		}
		asked := event.Fold[application.Asked](history...)
		if len(history) == 0 && lately != today {
			if asked, err = Load[application.Asked](ctx, d.Store, lately); err != nil {
				return err
			}
		}
		events, err := decide(asked, now)
		if err != nil {
			return err
		}
		if err := unmixed[application.Asked](today, history); err != nil {
			return err
		}
		_, err = d.Store.Append(ctx, event.Change{Stream: today, Expected: len(history), Events: events, ID: id})
		return err
	})
}
