package features_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/cucumber/godog"
	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/webhooks"
	"frontdesk/adapters/webhooks/receiver"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/application"
)

// mailbox is an application's receiver of webhooks.
type mailbox struct {
	server *receiver.Server
	got    chan receiver.Webhook
	broken atomic.Bool
}

// webhookSteps are about the webhooks of applications.
func (w *world) webhookSteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" receives webhooks of "([^"]*)"$`, w.receives)
	sc.Step(`^the receiver of "([^"]*)" (fails|works again)$`, w.receiverFails)
	sc.Step(`^"([^"]*)" is told of "([^"]*)"$`, func(name, event string) error { return w.received(name, event, nil) })
	sc.Step(`^"([^"]*)" is told of "([^"]*)" with this:$`, w.received)
	sc.Step(`^nothing was queued for "([^"]*)"$`, w.notQueued)
	sc.Step(`^a delivery to "([^"]*)" is "([^"]*)" because "([^"]*)"$`, w.delivery)
}

func (w *world) receives(name, event string) error {
	app, err := w.application(name)
	if err == nil && app.mailbox == nil {
		app.mailbox, err = w.newMailbox()
	}
	if err != nil {
		return err
	}
	return w.Desk.SetWebhook(w.ctx, commands.SetWebhook{
		Application: app.ID, Event: application.WebhookEvent(event), URL: app.mailbox.server.URL(),
	})
}

// newMailbox verifies webhooks according to §6.5, with the keys that the practice's
// host publishes.
func (w *world) newMailbox() (*mailbox, error) {
	m := &mailbox{got: make(chan receiver.Webhook, 100)}
	verifier, err := testworld.NewVerifier(w.tenant(w.practice), w.URL, w.Clock.Now)
	if err != nil {
		return nil, err
	}
	handler := receiver.Handler{
		Verifier: verifier,
		Received: func(_ context.Context, webhook receiver.Webhook) error { m.got <- webhook; return nil },
	}
	m.server, err = receiver.Listen(w.ctx, "127.0.0.1:0", w.Authority, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if m.broken.Load() {
			http.Error(rw, "out of order", http.StatusServiceUnavailable)
			return
		}
		handler.ServeHTTP(rw, r)
	}), clock.System())
	return m, err
}

func (w *world) receiverFails(name, how string) error {
	app, err := w.application(name)
	if err == nil {
		app.mailbox.broken.Store(how == "fails")
	}
	return err
}

// received fails unless the application's next webhook is of this event, and contains these
// data.
func (w *world) received(name, event string, data *godog.DocString) error {
	app, err := w.application(name)
	if err != nil {
		return err
	}
	select {
	case <-time.After(stepLimit):
		return fmt.Errorf("%s was told nothing", name)
	case webhook := <-app.mailbox.got:
		if webhook.Event.Kind() != event || webhook.TenantID != w.tenant(w.practice) {
			return fmt.Errorf("%s was told of %s at %s", name, webhook.Event.Kind(), webhook.TenantID)
		}
		return w.wantData(webhook.Data, data)
	}
}

func (w *world) wantData(got json.RawMessage, data *godog.DocString) error {
	if data == nil {
		return nil
	}
	var want, have map[string]any
	if err := json.Unmarshal([]byte(w.filled(data.Content)), &want); err != nil {
		return err
	}
	if err := json.Unmarshal(got, &have); err != nil {
		return err
	}
	for name, value := range want {
		if diff := cmp.Diff(value, have[name]); diff != "" {
			return fmt.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	return nil
}

func (w *world) deliveries(name string) ([]webhooks.Logged, error) {
	app, err := w.application(name)
	if err != nil {
		return nil, err
	}
	return w.Deliveries().List(w.ctx, webhooks.Filter{Application: app.ID, Limit: 10})
}

// notQueued is for events that another application has received: by then they have been
// fanned out to all.
func (w *world) notQueued(name string) error {
	found, err := w.deliveries(name)
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("%d deliveries were queued", len(found))
	}
	return err
}

// delivery waits until a delivery has ended with this status, and fails if there are
// several.
func (w *world) delivery(name, status, reason string) error {
	for limit := time.After(stepLimit); ; {
		found, err := w.deliveries(name)
		if err != nil {
			return err
		}
		ended := 0
		for _, d := range found {
			if string(d.Status) == status && d.Reason != nil && string(*d.Reason) == reason {
				ended++
			}
		}
		switch {
		case ended == 1:
			return nil
		case ended > 1:
			return fmt.Errorf("%d deliveries have ended so", ended)
		}
		select {
		case <-limit:
			return fmt.Errorf("deliveries: %+v", found)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
