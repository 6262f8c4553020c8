//go:build prove

package trouble_test

import (
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/domain/record"
)

// misHandled is the first event that a consumer received out of turn: twice, too late, or
// with one left out before it.
const misHandled = `
SELECT coalesce((SELECT format('%s was handed idx %s as its number %s', consumer, idx, turn)
	FROM (SELECT consumer, idx, row_number() OVER (PARTITION BY consumer ORDER BY n) AS turn FROM handled) h
	WHERE idx <> turn ORDER BY turn LIMIT 1), '')`

// checkHandled: each consumer has handled each event once, in the order of the log.
func (w *world) checkHandled(head int64, report reporter) {
	if wrong := ask[string](w.cluster, misHandled); wrong != "" {
		report("%s", wrong)
	}
	for _, consumer := range []string{"steady", "moody"} {
		if n := ask[int64](w.cluster, `SELECT count(*) FROM handled WHERE consumer = $1`, consumer); n != head {
			report("%s has handled %d events of %d", consumer, n, head)
		}
	}
}

// sent is how often a delivery in each state may have arrived.
var sent = map[webhooks.Status]struct{ least, most int }{
	webhooks.Delivered: {1, 1},
	webhooks.Failed:    {0, 1},
	webhooks.Unknown:   {0, 1},
}

// checkDeliveries: each application was to receive each opened record once, and received it
// at most once. And no epoch has begun, because nothing was ever lost.
func (w *world) checkDeliveries(log []event.Recorded, report reporter) {
	opened := 0
	for _, e := range log {
		switch e.Event.(type) {
		case record.CareRecordOpened:
			opened++
		case epoch.Begun:
			report("idx %d begins an epoch: %+v", e.Idx, e.Event)
		}
	}
	deliveries, err := webhooks.DeliveryLog{DB: w.looks}.List(w.t.Context(), webhooks.Filter{Limit: 1_000_000})
	must(w.t, err)
	if len(deliveries) != 2*opened {
		report("%d records were opened, and there are %d deliveries to two applications", opened, len(deliveries))
	}
	got := w.receiver.received()
	for _, d := range deliveries {
		name := "/" + d.Application.String() + "/" + d.ID.String()
		if n, may := got[name], sent[d.Status]; n < may.least || n > may.most {
			report("webhook %s of idx %d is %s, and was received %d times", name, d.Idx, d.Status, n)
		}
		delete(got, name)
		w.totals["webhooks "+string(d.Status)]++
	}
	for name, n := range got {
		report("webhook %s was received %d times, and there is no such delivery", name, n)
	}
}
