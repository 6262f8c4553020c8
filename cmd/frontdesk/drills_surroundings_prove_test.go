//go:build prove

package main_test

import (
	"os"
	"path/filepath"
	"time"

	"frontdesk/adapters/clock"
)

// usualLife is how long certificates of a public authority hold.
const usualLife = 90 * 24 * time.Hour

var surroundingsDrills = []drill{
	{
		name: "a receiver of webhooks is dead", fires: []string{"ReceiverFails"}, goesOn: true,
		wrong: func(d *drilled) { d.receiver.running.Close() },
		right: func(d *drilled) { d.receiver.start() },
	},
	{
		name: "the certificate ends in ten days", fires: []string{"CertificateEnds"},
		wrong: func(d *drilled) { d.proxies(clock.System().Add(10 * 24 * time.Hour)) },
		right: func(d *drilled) { d.proxies(clock.System().Add(usualLife)) },
	},
	{
		name: "the certificate has ended", fires: []string{"OutsideProbeFails"},
		wrong: func(d *drilled) { d.proxies(clock.System().Add(-time.Minute)) },
		right: func(d *drilled) { d.proxies(clock.System().Add(usualLife)) },
	},
	{
		name: "the archive of WAL is away", fires: []string{"ArchiveFails"}, goesOn: true,
		wrong: func(d *drilled) {
			d.switchesWAL()
			waitFor(d.t, func() bool {
				segments, _ := filepath.Glob(filepath.Join(d.archive(), "wal", "0*"))
				return len(segments) > 0
			})
			d.must(os.Rename(d.archive(), d.archive()+".away"))
			d.switchesWAL()
		},
		right: func(d *drilled) { d.must(os.Rename(d.archive()+".away", d.archive())) },
	},
	{
		name: "NATS is away", fires: []string{"RelayLags"}, goesOn: true,
		wrong: func(d *drilled) { d.broker.Stop() },
		right: func(d *drilled) { d.broker.Start() },
	},
}

// switchesWAL has Postgres archive the segment that it writes to, as it does once a minute.
func (d *drilled) switchesWAL() { d.t.Helper(); d.ask(`SELECT pg_switch_wal()`) }
