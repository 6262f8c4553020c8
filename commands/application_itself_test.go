package commands_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

func TestAKeySetIsReadAgainOnceAMinute_D94(t *testing.T) {
	t.Parallel()
	s, clock := newStory(t), commandtest.NewClock(commandtest.Noon)
	s.tenant = "" // it belongs to no practice
	desk := commands.Desk{Store: s, CheckURL: checkURL, Now: clock.Now}
	id := s.application(t, "Referrals", false)
	reread := func(id application.ID) func(context.Context) error {
		return func(ctx context.Context) error {
			at, err := desk.RereadKeySet(ctx, commands.RereadKeySet{Application: id})
			if err == nil && !at.Equal(clock.Now()) {
				t.Errorf("the mark is %v at %v", at, clock.Now())
			}
			return err
		}
	}
	happened := func() []event.Event { return []event.Event{application.KeySetReread{Application: id, At: clock.Now()}} }
	s.play(t, step{"unknown", reread(unknownApplication), nil, application.ErrUnknown}, step{"first", reread(id), happened(), nil},
		step{"again", reread(id), nil, application.ErrTooSoon})
	clock.Pass(time.Minute)
	s.play(t, step{"a minute later", reread(id), happened(), nil})
	clock.Pass(12*time.Hour - time.Minute - time.Second) // a second before midnight, when the next day's stream begins
	s.play(t, step{"before midnight", reread(id), happened(), nil})
	clock.Pass(2 * time.Second)
	s.play(t, step{"after midnight", reread(id), nil, application.ErrTooSoon})
	clock.Pass(time.Minute)
	s.play(t, step{"a minute later", reread(id), happened(), nil}, step{"and again", reread(id), nil, application.ErrTooSoon})
	clock.Pass(24*time.Hour - time.Minute) // some seconds after the next midnight
	s.play(t, step{"the next day", reread(id), happened(), nil})
	clock.Pass(10 * time.Second)
	s.play(t, step{"in the first minute of a day", reread(id), nil, application.ErrTooSoon})
}

func TestOneTestWebhookPerMinute_D94(t *testing.T) {
	t.Parallel()
	s, clock := newStory(t), commandtest.NewClock(commandtest.Noon)
	desk := commands.Desk{Store: s, CheckURL: checkURL, Now: clock.Now}
	id := s.application(t, "Referrals", false)
	must(t, desk.SetWebhook(t.Context(), commands.SetWebhook{Application: id, Event: application.RecordOpened, URL: "https://app.example/hook"}))
	test := func(tenant string, kind application.WebhookEvent) func(context.Context) error {
		return func(ctx context.Context) error {
			made, err := desk.TestWebhook(ctx, commands.TestWebhook{Tenant: tenant, Application: id, Event: kind})
			if last := s.Log()[len(s.Log())-1]; err == nil && (made.ID != last.ID || made.URL != "https://app.example/hook") {
				t.Errorf("promised %+v, and appended %s", made, last.ID)
			}
			return err
		}
	}
	happened := []event.Event{application.WebhookTestRequested{Application: id, Event: application.RecordOpened, At: clock.Now()}}
	s.play(t, step{"not enabled", test(elm, application.RecordOpened), nil, access.ErrNotEnabled},
		step{"no practice", test(unknownName, application.RecordOpened), nil, access.ErrNotEnabled})
	for _, tenant := range []string{elm, oak} {
		must(t, desk.EnableApplication(t.Context(), commands.EnableApplication{Tenant: tenant, Application: id}))
	}
	s.play(t, step{"no kind", test(elm, application.Ping), nil, application.ErrUnknownEvent},
		step{"no address", test(elm, application.CallInShown), nil, application.ErrWebhookNotRegistered},
		step{"first", test(elm, application.RecordOpened), happened, nil},
		step{"again", test(elm, application.RecordOpened), nil, application.ErrTooSoon})
	s.tenant = oak
	s.play(t, step{"elsewhere", test(oak, application.RecordOpened), happened, nil})
}

func TestConcurrentRereadsAppendOnce_D94(t *testing.T) {
	t.Parallel()
	s, clock := newStory(t), commandtest.NewClock(commandtest.Noon)
	desk := commands.Desk{Store: s, Now: clock.Now}
	id := s.application(t, "Referrals", false)
	var askers sync.WaitGroup
	var first atomic.Int32
	for range 40 {
		askers.Go(func() {
			switch _, err := desk.RereadKeySet(t.Context(), commands.RereadKeySet{Application: id}); {
			case err == nil:
				first.Add(1)
			case !errors.Is(err, application.ErrTooSoon):
				t.Error(err)
			}
		})
	}
	askers.Wait()
	if n := first.Load(); n != 1 {
		t.Errorf("%d of 40 were first", n)
	}
}
