package webhooks_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/webhooks"
	"frontdesk/commands"
	"frontdesk/domain/application"
)

// ping requests a test webhook to an application's address for a kind of event.
func (c *clinic) ping(id application.ID, kind application.WebhookEvent) commands.WebhookTest {
	c.t.Helper()
	test, err := commands.Desk{Store: c.store, Now: c.clock.Now}.TestWebhook(c.t.Context(),
		commands.TestWebhook{Tenant: tenant, Application: id, Event: kind})
	must(c.t, err)
	return test
}

// Others are registered for the same kind, and the application for other kinds elsewhere.
func TestPingGoesToOneAddress_D94(t *testing.T) {
	t.Parallel()
	c, asked, others := newClinic(t), newReceiver(t), newReceiver(t)
	id := c.application(asked.URL+"/hook?key=secret", application.RecordOpened)
	c.setWebhook(id, application.CallInShown, others.URL)
	c.application(others.URL, application.RecordOpened)
	test := c.ping(id, application.RecordOpened)
	if test.URL != asked.URL+"/hook?key=secret" {
		t.Errorf("it is said to go to %s", test.URL)
	}
	c.sendTo(asked, others)
	got := asked.next(t)
	claims := c.verified(got.token)
	iat := claims["iat"].(float64)
	want := object{"iss": "service", "iat": iat, "exp": iat + 60, "jti": test.ID.String(), "event": "ping", "tenantId": tenant, "data": object{}}
	if diff := cmp.Diff(want, claims); diff != "" || got.path != "/hook" {
		t.Errorf("%s (-want +got):\n%s", got.path, diff)
	}
	if more := append(asked.all(), others.all()...); len(more) > 0 {
		t.Errorf("%d webhooks more", len(more))
	}
	logged, err := webhooks.DeliveryLog{DB: c.pool}.List(t.Context(), webhooks.Filter{Event: application.Ping, Limit: 10})
	if err != nil || len(logged) != 1 || logged[0].ID != test.ID || logged[0].Status != webhooks.Delivered || *logged[0].URL != asked.URL+"/hook" {
		t.Errorf("the log of deliveries has %+v, %v", logged, err)
	}
}

// Several kinds may have the same address: there is still one delivery.
func TestPingIsSentOncePerAddress_D94(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	id := c.application(r.URL) // for all kinds
	c.ping(id, application.ConsultationStarted)
	c.fanOut()
	c.fannedOut = 0 // the feed repeats everything
	c.sendTo(r)
	if got := r.all(); len(got) != 1 {
		t.Errorf("%d webhooks", len(got))
	}
	c.wantSummary("delivered 1")
	logged, err := webhooks.DeliveryLog{DB: c.pool}.List(t.Context(), webhooks.Filter{Limit: 10})
	if err != nil || len(logged) != 1 {
		t.Errorf("the log of deliveries has %+v, %v", logged, err)
	}
}

// The checks before a webhook is sent apply to a ping.
func TestAPingIsSentOnlyWhileItIsWanted_D94(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(*clinic, application.ID)
		want   string
	}{
		"disabled": {func(c *clinic, id application.ID) {
			must(c.t, commands.Desk{Store: c.store}.DisableApplication(c.t.Context(), commands.DisableApplication{Tenant: tenant, Application: id}))
		}, "withdrawn 1"},
		"moved": {func(c *clinic, id application.ID) {
			c.setWebhook(id, application.RecordOpened, "https://elsewhere.example/")
		}, "withdrawn 1"},
		"removed": {func(c *clinic, id application.ID) { c.removeWebhook(id, application.RecordOpened) }, "withdrawn 1"},
		"too old": {func(c *clinic, _ application.ID) { c.clock.Pass(webhooks.DefaultAge + time.Second) }, "expired 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clinic, r := newClinic(t), newReceiver(t)
			id := clinic.application(r.URL, application.RecordOpened)
			clinic.ping(id, application.RecordOpened)
			clinic.fanOut()
			c.before(clinic, id)
			clinic.sendTo(r)
			clinic.wantSummary(c.want)
			if got := r.all(); len(got) != 0 {
				t.Errorf("%d webhooks", len(got))
			}
		})
	}
}
