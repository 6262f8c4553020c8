package alerting_test

import (
	"context"
	"fmt"

	"frontdesk/cmd/frontdesk/app"
)

var logCauses = map[string]cause{
	"a restore is declared": {
		fires: []string{"EpochBegun"},
		wrong: func(w *world) {
			w.serve[0].stop()
			w.beginEpoch()
			w.serving(w.serves())
		},
		fix: func(*world) {},
	},
	"another session holds the sequencer's row": {
		fires: []string{"SequencerLags"},
		wrong: func(w *world) {
			w.holds(`SELECT FROM sequencer FOR UPDATE`)
			w.append(1) // an age needs no crowd
		},
		fix: func(w *world) { w.release(); w.until("all is in the log", caughtUp) },
	},
	"a transaction that has written an event stays open": {
		fires: []string{"GapsStay"},
		wrong: func(w *world) {
			w.holds(events("practice.moved.v9", 1), `SELECT nextval('events_position_seq') FROM generate_series(1, 1100)`)
			w.until("gaps", func(m metrics) bool { return m.above("frontdesk_log_gaps", 1000) })
		},
		fix: func(w *world) {
			w.release()
			w.until("no gaps", func(m metrics) bool { return m.is("frontdesk_log_gaps", 0) })
		},
	},
	"an event is stored where the log has passed": {
		fires: []string{"LogLacksEvents"},
		wrong: func(w *world) {
			w.as(`SELECT setval('events_position_seq', (SELECT max(position) + 1000 FROM events))`)
			w.append(1)
			w.until("the log has passed them", func(m metrics) bool { return w.reached() > 1000 && m.is("frontdesk_log_gaps", 0) })
			w.stray()
			w.until("it is missed", func(m metrics) bool { return m.above("frontdesk_log_missing_events", 0) })
		},
		fix: func(w *world) {
			w.as(`SELECT mend_sequence()`)
			w.until("nothing is missed", func(m metrics) bool { return m.is("frontdesk_log_missing_events", 0) })
		},
	},
	"an event comes that the program does not know": {
		fires: []string{"ConsumerStopped", "ConsumerLags"},
		wrong: func(w *world) {
			w.as(events("practice.moved.v9", 1))
			w.until("a consumer stops", func(m metrics) bool { return m.above("frontdesk_consumer_stops_total", 1) })
		},
	},
	"the key of an erased person is put back": {
		fires: []string{"ErasedAreBack"},
		wrong: func(w *world) {
			w.as(`WITH back AS (INSERT INTO personal_keys (tenant, kind, holder, fingerprint, master, wrapped)
					SELECT tenant, 2, gen_random_uuid(), fingerprint, master, wrapped FROM personal_keys LIMIT 1 RETURNING tenant, kind, holder)
				INSERT INTO erasures (tenant, kind, holder, erased_at, erasure, stream, version, fingerprint)
				SELECT tenant, kind, holder, now(), gen_random_uuid(), holder, 1, '' FROM back`)
			w.until("it is found", func(m metrics) bool { return m.above("frontdesk_erased_people_back", 0) })
		},
		fix: func(w *world) {
			w.as(`DELETE FROM erasures`)
			w.until("it is gone", func(m metrics) bool { return m.is("frontdesk_erased_people_back", 0) })
		},
	},
	"a trigger changes what is stored": {
		fires: []string{"EventsAreAltered", "CallsFail", "BudgetIsUsed"},
		still: []string{"BudgetIsUsed"},
		wrong: func(w *world) {
			w.as(`CREATE FUNCTION altered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.metadata := NEW.metadata || ' '; RETURN NEW; END $$`)
			w.as(`CREATE TRIGGER altered BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION altered()`)
			w.until("an append is refused", func(m metrics) bool { return m.above("frontdesk_altered_appends_total", 0) })
		},
		fix: func(w *world) { w.as(`DROP FUNCTION altered CASCADE`) },
	},
	"another session holds a consumer's row": {
		fires: []string{"ConsumerLags"},
		wrong: func(w *world) {
			w.holds(`SELECT FROM feed_offsets WHERE consumer = (SELECT min(consumer) FROM feed_offsets) FOR UPDATE`)
			w.until("a consumer lags", func(m metrics) bool { return m.above("frontdesk_consumer_lag_seconds", 1) })
		},
		fix: func(w *world) { w.release(); w.until("consumers have caught up", caughtUp) },
	},
}

// events stores some events of a name, which are copies of another event.
func events(name string, count int) string {
	return fmt.Sprintf(`INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
		SELECT gen_random_uuid(), tenant, gen_random_uuid(), 1, '%s', data, metadata, now()
		FROM (SELECT * FROM events WHERE name = 'application.endpoint-granted.v1' LIMIT 1) e, generate_series(1, %d)`, name, count)
}

// append stores many events that change nothing.
func (w *world) append(count int) {
	w.t.Helper()
	w.as(events("application.endpoint-granted.v1", count))
}

// reached is the highest position that is in the log.
func (w *world) reached() (position int64) {
	w.t.Helper()
	w.must(w.owner.QueryRow(w.t.Context(), `SELECT max(position) FROM log`).Scan(&position))
	return position
}

// stray stores an event at a position that the log has passed.
func (w *world) stray() {
	w.t.Helper()
	w.as(`INSERT INTO events (position, id, tenant, stream, version, name, data, metadata, recorded_at) OVERRIDING SYSTEM VALUE
		SELECT (SELECT min(position) FROM log WHERE position > 1000) - 500, gen_random_uuid(), tenant, gen_random_uuid(), 1, name, data, metadata, now()
		FROM events WHERE name = 'application.endpoint-granted.v1' LIMIT 1`)
}

// beginEpoch runs frontdesk audit begin-epoch.
func (w *world) beginEpoch() {
	w.t.Helper()
	w.with(w.db.AdminURL, func(engine *app.Engine) {
		actor, err := engine.Operator(w.t.Context(), "a machine")
		w.must(err)
		_, err = engine.Sequencer.DeclareEpoch(w.t.Context(), 0, "The volume was put back.", actor)
		w.must(err)
	})
}

// holds does something in a transaction that stays open until it is released.
func (w *world) holds(statements ...string) {
	w.t.Helper()
	tx, err := w.owner.Begin(w.t.Context())
	w.must(err)
	for _, sql := range statements {
		_, err = tx.Exec(w.t.Context(), sql)
		w.must(err)
	}
	w.release = func() { w.must(tx.Rollback(w.t.Context())) }
	w.t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
}
