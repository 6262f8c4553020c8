package alerting_test

import (
	"strconv"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/app"
)

var processCauses = map[string]cause{
	"the only process ends": {
		fires: []string{"NoProcessServes", "ProcessDown"},
		wrong: func(w *world) { w.serve[0].stop() },
		fix:   func(w *world) { w.serving(w.serves()) },
	},
	"one of two processes ends": {
		fires: []string{"FewerServe", "ProcessDown"},
		with:  func(w *world) { w.serving(w.serve[0], w.serves()) },
		wrong: func(w *world) { w.serve[1].stop() },
		fix:   func(w *world) { w.serving(w.serve[0], w.serves()) },
	},
	"one of two processes is gone from where Prometheus looks": {
		fires: []string{"FewerServe"},
		with:  func(w *world) { w.serving(w.serve[0], w.serves()) },
		wrong: func(w *world) { w.serve[1].stop(); w.serving(w.serve[0]) },
		fix:   func(w *world) { w.serving(w.serve[0], w.serves()) },
	},
	"the database takes no connections": {
		fires: []string{"NoProcessServes", "CallsFail", "SlowCalls", "LogIsNotSigned", "BudgetIsUsed"},
		still: []string{"BudgetIsUsed"},
		edit:  func(c *app.Config) { c.CallConnections = 1 }, // so that all are being opened at each look
		wrong: func(w *world) {
			w.limitConnections(0)
			w.unlock = func() {}
			w.crowds(4, 10*time.Millisecond)
			w.until("calls are sent away", func(m metrics) bool { return m.most("frontdesk_call_seconds_count", `status="503"`) > 2 })
		},
		fix: func(w *world) {
			w.limitConnections(-1)
			w.unlock()
			w.until("it serves", func(m metrics) bool { return m.is("frontdesk_ready", 1) })
		},
	},
	"the clock of a process is five seconds ahead": {
		fires: []string{"ClockIsOff"},
		wrong: func(w *world) {
			w.config.Machine = func() time.Time { return clock.System().Add(5 * time.Second) }
			w.restarts()
		},
		fix: func(w *world) { w.config.Machine = nil; w.restarts() },
	},
	"the clock of the only process is a minute behind": {
		fires: []string{"ClockIsOff", "NoProcessServes", "CallsFail", "BudgetIsUsed"},
		still: []string{"BudgetIsUsed"},
		wrong: func(w *world) {
			w.config.Machine = func() time.Time { return clock.System().Add(-time.Minute) }
			w.restarts()
		},
		fix: func(w *world) { w.config.Machine = nil; w.restarts() },
	},
	"what expires may not be deleted": {
		fires: []string{"SweeperLags"},
		wrong: func(w *world) { w.as(`REVOKE DELETE ON deliveries FROM frontdesk_app`) },
		fix:   func(w *world) { w.as(`GRANT DELETE ON deliveries TO frontdesk_app`) },
		lasts: 4 * time.Hour, renew: []string{`record="uploads"`, `record="answers"`},
	},
	"what expires may not be deleted since the start": {
		fires: []string{"SweeperLags"},
		wrong: func(w *world) {
			w.as(`REVOKE DELETE ON answers FROM frontdesk_app`)
			w.restarts()
		},
	},
}

// restarts restarts the server with the current configuration.
func (w *world) restarts() {
	w.t.Helper()
	w.serve[0].stop()
	w.serving(w.serves())
}

// limitConnections ends all connections of the program to the database, and limits new ones.
func (w *world) limitConnections(limit int) {
	w.t.Helper()
	var name string
	w.must(w.owner.QueryRow(w.t.Context(), `SELECT current_database()::text`).Scan(&name))
	w.as(`ALTER DATABASE ` + name + ` CONNECTION LIMIT ` + strconv.Itoa(limit))
	w.as(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename LIKE 'frontdesk%'`, name)
}
