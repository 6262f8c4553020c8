package alerting_test

import "time"

// sweeps are due once an hour.
const sweeps = "frontdesk_sweep_completed_timestamp_seconds"

var recordCauses = map[string]cause{
	"the access record refuses lines": {
		fires: []string{"AccessRecordLost"},
		wrong: func(w *world) { w.as(`ALTER TABLE access_record ADD CONSTRAINT never CHECK (false) NOT VALID`) },
		fix:   func(w *world) { w.as(`ALTER TABLE access_record DROP CONSTRAINT never`) },
	},
	"retain was never run": {
		fires: []string{"RetainDoesNotRun"},
		never: true,
		fix:   func(w *world) { w.retain() },
		lasts: 2 * time.Hour, renew: []string{sweeps},
	},
	"retain was not run for three days": {
		fires: []string{"RetainDoesNotRun", "LinesWithoutMonth"},
		never: true,
		wrong: func(w *world) {
			w.until("there are lines", func(m metrics) bool { return m.above("frontdesk_default_partition_bytes", 0) })
		},
		lasts: 72 * time.Hour, renew: []string{sweeps, "frontdesk_signer_verified_timestamp_seconds"},
	},
}
