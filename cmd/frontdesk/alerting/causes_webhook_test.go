package alerting_test

import (
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/signingkey"
)

var webhookCauses = map[string]cause{
	"a receiver does not answer": {
		fires: []string{"WebhooksWait"},
		edit:  func(c *app.Config) { c.WebhookTimeout = 10 * time.Minute }, // none ends before its late answer
		wrong: func(w *world) {
			w.receiver.block()
			w.until("one waits", func(m metrics) bool { return m.above("frontdesk_webhook_queue_age_seconds", 2) })
		},
		fix: func(w *world) { w.receiver.unblock(); w.until("all are told", nothingWaits) },
	},
	"a receiver refuses each webhook": {
		fires: []string{"ReceiverFails"},
		wrong: func(w *world) {
			w.receiver.refuses.Store(true)
			w.until("it is noticed", func(m metrics) bool { return m.above("frontdesk_webhook_failing_receivers", 0) })
		},
		fix: func(w *world) {
			w.receiver.refuses.Store(false)
			w.until("it answers", func(m metrics) bool { return m.is("frontdesk_webhook_failing_receivers", 0) })
		},
	},
	"somebody has put a constraint on new deliveries": {
		fires: []string{"EventParked"},
		wrong: func(w *world) {
			w.as(`CREATE FUNCTION never() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE check_violation; END $$;
				CREATE TRIGGER never BEFORE INSERT ON deliveries FOR EACH ROW EXECUTE FUNCTION never()`)
			w.until("events are parked", func(m metrics) bool { return m.above("frontdesk_webhook_parked_events_total", 0) })
		},
		fix: func(w *world) { w.as(`DROP FUNCTION never CASCADE`) },
	},
	"the key was not rotated for 500 days": {
		fires: []string{"KeyIsOld"},
		wrong: func(w *world) {
			w.as(`UPDATE signing_keys SET since = now() - interval '500 days' WHERE state = 'active'`)
		},
		fix:   func(w *world) { w.activate(w.stage()) },
		lasts: 2 * time.Hour, renew: []string{sweeps},
	},
	"a key was staged 20 days ago": {
		fires: []string{"KeyIsNotActivated"},
		wrong: func(w *world) {
			w.staged = w.stage()
			w.as(`UPDATE signing_keys SET since = now() - interval '20 days' WHERE state = 'staged'`)
		},
		fix:   func(w *world) { w.activate(w.staged) },
		lasts: 2 * time.Hour, renew: []string{sweeps},
	},
}

// stage publishes a key a day ago, because receivers have to know it before it signs.
func (w *world) stage() (kid signingkey.KID) {
	w.t.Helper()
	w.with(w.db.URL, func(engine *app.Engine) {
		var err error
		kid, err = engine.Desk.StageSigningKey(w.t.Context())
		w.must(err)
	}, func(c *app.Config) { c.Now = func() time.Time { return clock.System().Add(-25 * time.Hour) } })
	return kid
}

func (w *world) activate(kid signingkey.KID) {
	w.t.Helper()
	w.must(w.serve[0].Desk.ActivateSigningKey(w.t.Context(), commands.ActivateSigningKey{KID: kid}))
}
