package webhooks_test

import (
	"testing"
	"time"

	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
)

func TestZZTmpPlan(t *testing.T) {
	c, r := newClinic(t), newReceiver(t)
	app := c.application(r.URL, application.RecordOpened)
	dead := c.application("https://127.0.0.1:1/", application.RecordOpened)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	admin := c.admin()
	ins := func(status, dest string, n int, app any) {
		_, err := admin.Exec(t.Context(), `INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status, finished_at)
		SELECT gen_random_uuid(), $3, 500000+g, 'elm-street', 'record.opened', gen_random_uuid(), (SELECT destination FROM deliveries WHERE application = $3 LIMIT 1), now(), now() + '1h', $1, CASE WHEN $1 = 'delivered' THEN now() END FROM generate_series(1, $2) g`, status, n, app)
		must(t, err)
	}
	ins("delivered", "", 200000, app)
	ins("pending", "", 50000, dead)
	for _, analyzed := range []bool{false, true} {
		if analyzed {
			_, err := admin.Exec(t.Context(), `ANALYZE deliveries`)
			must(t, err)
		}
		begun := time.Now()
		for range 5 {
			found, err := webhooks.ZZClaim(t.Context(), c.pool, c.clock.Now())
			must(t, err)
			_ = found
		}
		t.Logf("analyzed %v: %v a claim", analyzed, time.Since(begun)/5)
	for _, l := range webhooks.ZZExplain(t.Context(), c.pool, c.clock.Now()) {
		t.Log(l)
	}
		begun = time.Now()
		must(t, c.keeper().Keep(t.Context()))
		t.Logf("keep %v", time.Since(begun))
	}
}
