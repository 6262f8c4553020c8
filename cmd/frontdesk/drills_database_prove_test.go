//go:build prove

package main_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
)

var databaseDrills = []drill{
	{
		name: "the database is stopped", fires: []string{"NoProcessServes", "CallsFail"},
		wrong: func(d *drilled) { d.signal(syscall.SIGINT); <-d.postgres.Done() },
		right: (*drilled).databaseRuns,
	},
	{
		name: "the database is frozen", fires: []string{"NoProcessServes", "CallsFail"},
		wrong: func(d *drilled) { d.frozen = d.halted(); d.signal(syscall.SIGSTOP, d.frozen...) },
		right: func(d *drilled) { d.signal(syscall.SIGCONT, d.frozen...) },
	},
	{
		name: "the database is read-only", fires: []string{"NoProcessServes", "CallsFail"},
		wrong: func(d *drilled) { d.setting(`ALTER SYSTEM SET default_transaction_read_only = on`) },
		right: func(d *drilled) { d.setting(`ALTER SYSTEM RESET default_transaction_read_only`) },
	},
	{
		name: "the database has no connections left", fires: []string{"ConnectionsRunOut"},
		wrong: (*drilled).crowded,
		right: func(d *drilled) { d.release() },
	},
	{
		name: "the database's disk is full", fires: []string{"DiskIsFull", "CallsFail"}, small: "data",
		wrong: func(d *drilled) { fill(d.t, filepath.Join(d.small, "ballast")) },
		right: func(d *drilled) { d.must(os.Remove(filepath.Join(d.small, "ballast"))); d.databaseRuns() },
	},
}

// databaseRuns starts Postgres unless it runs.
func (d *drilled) databaseRuns() { d.t.Helper(); d.must(d.postgres.Restart(d.t.Context())) }

// setting changes a setting of the running cluster.
func (d *drilled) setting(sql string) {
	d.t.Helper()
	d.ask(sql)
	d.ask(`SELECT pg_reload_conf()`)
}

// crowded has strangers take all connections, and those of the program as soon as they are free, until the trouble ends.
func (d *drilled) crowded() {
	d.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(d.t.Context()))
	var taking sync.WaitGroup
	for range 8 {
		taking.Go(func() {
			for ctx.Err() == nil {
				conn, err := pgx.Connect(ctx, d.postgres.URL("frontdesk", postgres.AppRole))
				if err != nil {
					pauseFor(ctx, 5*time.Millisecond)
					continue
				}
				defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() //nolint:gocritic // all are held until the trouble is over
			}
		})
	}
	d.release = func() { cancel(); taking.Wait() }
	d.t.Cleanup(d.release)
	admin := d.superuser()
	defer func() { _ = admin.Close(context.WithoutCancel(d.t.Context())) }()
	ours := 1
	for watch := clock.Start(); ours > 0 && watch.Elapsed() < 5*time.Second; time.Sleep(50 * time.Millisecond) {
		d.must(admin.QueryRow(d.t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE 'frontdesk%'`).Scan(&ours))
	}
}
