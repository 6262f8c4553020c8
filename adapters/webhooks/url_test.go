package webhooks_test

import (
	"testing"
	"time"

	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
)

// A delivery keeps its URL without the query, whatever is registered later, and after
// its details are deleted.
func TestADeliveryKeepsItsAddress_D95(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	app := c.application(r.URL+"/then?secret=1", application.RecordOpened)
	c.openRecord(t.Context(), c.patient)
	c.sendTo(r)
	c.setWebhook(app, application.RecordOpened, r.URL+"/now")
	want := func(when string) {
		t.Helper()
		found, err := webhooks.DeliveryLog{DB: c.pool}.List(t.Context(), webhooks.Filter{Limit: 9})
		must(t, err)
		if len(found) != 1 || found[0].URL == nil || *found[0].URL != r.URL+"/then" {
			t.Errorf("%s, it went to %+v", when, found)
		}
	}
	want("when another address is registered")
	if c.count(`SELECT count(*) FROM deliveries WHERE url LIKE '%secret%'`) != 0 {
		t.Error("the query is stored")
	}
	keeper := c.keeper()
	keeper.RealNow = func() time.Time { return c.clock.Now().Add(webhooks.DefaultRetention + time.Hour) }
	keeper.Now = keeper.RealNow
	must(t, keeper.Keep(t.Context()))
	if c.count(`SELECT count(*) FROM delivered`) != 1 {
		t.Fatal("it was not forgotten")
	}
	want("when its details are forgotten")
}
