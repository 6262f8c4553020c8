package webhooks_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

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

func TestDeliveryLogHidesSecretsOfURLs(t *testing.T) {
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

func TestDeliveriesOfEventsAreInOrder(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application(hook)
	for range 3 {
		c.openRecord(t.Context(), c.patient)
	}
	c.fanOut()
	log := webhooks.DeliveryLog{DB: c.pool}
	newest, err := log.List(t.Context(), webhooks.Filter{Limit: 9})
	must(t, err)
	var events []uuid.UUID
	for _, d := range newest {
		events = append(events, d.ID)
	}
	found, err := log.Of(t.Context(), events)
	must(t, err)
	slices.Reverse(newest)
	if diff := cmp.Diff(newest, found); diff != "" || len(found) != 3 {
		t.Errorf("deliveries (-want +got):\n%s", diff)
	}
}
