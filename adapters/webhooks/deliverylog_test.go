package webhooks_test

import (
	"testing"
	"time"

	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
)

func TestDeliveriesAreFiltered(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	app := c.application(r.URL+"/hook?secret=1", application.RecordOpened)
	c.application("https://127.0.0.1:1/", application.RecordOpened, application.CallInShown)
	c.openRecord(t.Context(), c.patient)
	c.callIn(c.book(), c.room)
	c.sendTo(r)
	for name, f := range map[string]struct {
		filter webhooks.Filter
		want   int
	}{
		"all":         {webhooks.Filter{Limit: 9}, 3},
		"limit":       {webhooks.Filter{Limit: 2}, 2},
		"tenant":      {webhooks.Filter{Limit: 9, Tenant: tenant}, 3},
		"another":     {webhooks.Filter{Limit: 9, Tenant: "oak-street"}, 0},
		"application": {webhooks.Filter{Limit: 9, Application: app}, 1},
		"event":       {webhooks.Filter{Limit: 9, Event: application.RecordOpened}, 2},
		"status":      {webhooks.Filter{Limit: 9, Status: webhooks.Failed}, 2},
		"reason":      {webhooks.Filter{Limit: 9, Reason: webhooks.ConnectionRefused, Event: application.CallInShown}, 1},
		"since":       {webhooks.Filter{Limit: 9, Since: c.clock.Now().Add(time.Minute)}, 0},
	} {
		found, err := webhooks.DeliveryLog{DB: c.pool}.List(t.Context(), f.filter)
		if err != nil || len(found) != f.want {
			t.Errorf("%s: %d found, %v; want %d", name, len(found), err, f.want)
		}
	}
	newest, err := webhooks.DeliveryLog{DB: c.pool}.List(t.Context(), webhooks.Filter{Limit: 1})
	must(t, err)
	if newest[0].Event != application.CallInShown {
		t.Errorf("the newest is %s", newest[0].Event)
	}
}

func TestAuditorsCanReadDeliveries(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	if c.count(`SELECT count(*) FROM (SELECT) x WHERE has_table_privilege('frontdesk_audit', 'deliveries', 'SELECT')`) != 1 {
		t.Error("frontdesk_audit may not read deliveries")
	}
}

func TestTheLogOfDeliveriesTellsNoSecretsOfURLs(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL + "/hook?secret=1")
	c.openRecord(t.Context(), c.patient)
	c.sendTo(r)
	found, err := webhooks.DeliveryLog{DB: c.pool}.List(t.Context(), webhooks.Filter{Limit: 1})
	must(t, err)
	if got := *found[0].URL; got != r.URL+"/hook" {
		t.Errorf("it says %s", got)
	}
}
