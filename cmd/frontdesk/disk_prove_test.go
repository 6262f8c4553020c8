//go:build prove

package main_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/provetest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
)

var (
	visitsOnDisk = provetest.Pick(300, 2000)
	quietTime    = provetest.Pick(30*time.Second, 10*time.Minute)
)

const (
	diskReceivers  = 10
	refusalsOnDisk = (diskReceivers - 1) * equalRefusals // each with its own line
	equalRefusals  = 400                                 // within the burst of one application
)

// TestProveWhatFillsTheDisk measures what calls with an Idempotency-Key, webhooks and refusals
// add to each table, the write-ahead log, its archive and standard error. It prints the tables
// of docs/operate/plan-disks.md, and compares them with the page.
func TestProveWhatFillsTheDisk_D114(t *testing.T) { //nolint:paralleltest // it measures
	d := newDisk(t)
	d.come(warmVisits, visitClients)
	calls := d.added(func() { d.come(visitsOnDisk, visitClients) })
	d.hear(0, 1)
	flows := d.flows()
	d.hear(1, diskReceivers)
	d.come(warmVisits/10, visitClients)
	visits := d.added(func() { d.come(visitsOnDisk, visitClients) })
	if got, want := visits.webhooks, int64(visitsOnDisk*hooksOfAVisit*diskReceivers); got != want {
		t.Fatalf("%d visits became %d webhooks, want %d", visitsOnDisk, got, want)
	}
	refused := d.added(d.refuseEach)
	repeated := d.refuseAgain()
	moved := d.added(d.forget)
	provetest.Tried(t, 2*visitsOnDisk, "visits")
	provetest.Tried(t, int(visits.webhooks), "webhooks")
	provetest.Tried(t, refusalsOnDisk+equalRefusals, "refusals")

	found := measured{calls: calls.each(visitsOnDisk * len(steps)), visits: visits.each(visitsOnDisk), refused: refused.each(refusalsOnDisk),
		moved: moved.each(int(visits.webhooks)), visit: flows, idle: d.quiet(), repeated: repeated}
	page := found.page(t)
	t.Log("\n" + page)
	comparePage(t, page)
}

// disk is a cell that is served by the shipped program.
type disk struct {
	*cell

	url      string
	engine   *app.Engine
	served   *served
	receiver *hookCounter
}

func newDisk(t *testing.T) *disk {
	t.Helper()
	c, server := newCell(t)
	c.keyed = true
	d := &disk{cell: c, url: server.URL("frontdesk", postgres.AppRole), receiver: newHookCounter(t)}
	_, err := c.admin.Exec(t.Context(), `ALTER SYSTEM SET max_wal_size = '1GB'`) // Postgres's own default
	c.must(err)
	_, err = c.admin.Exec(t.Context(), `SELECT pg_reload_conf()`)
	c.must(err)
	d.engine, err = app.Open(t.Context(), app.Config{
		DatabaseURL: d.url, AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MasterKeys: sealing.NewRing(theMasterKey),
	})
	c.must(err)
	t.Cleanup(d.engine.Close)
	d.found(d.engine.Desk, patientsOfEach, make([]string, diskReceivers)...)
	c.must(d.engine.Drain(t.Context()))
	d.served = serve(t, d.receiver, "--database-url", d.url)
	c.urls = []string{d.served.url}
	return d
}

// hear has some of the applications receive webhooks.
func (d *disk) hear(from, to int) {
	d.t.Helper()
	for n := from; n < to; n++ {
		d.subscribe(d.engine.Desk, d.integrators[n].ID, fmt.Sprintf("%s/%d", d.receiver.URL, n))
	}
	d.rest()
}

// addition is how many bytes something has added.
type addition struct {
	webhooks, wal int64
	tables        map[string]int64
	log           map[string]int // by message
}

// added measures what a function adds. Full pages count as they do after a checkpoint.
func (d *disk) added(do func()) (a addition) {
	d.t.Helper()
	d.settle()
	d.checkpoint()
	before, log := d.look(), d.lines()
	do()
	d.settle()
	after := d.look()
	a = addition{webhooks: after.webhooks - before.webhooks, wal: after.wal - before.wal, tables: map[string]int64{}, log: map[string]int{}}
	for name, bytes := range after.tables {
		a.tables[name] = bytes - before.tables[name]
	}
	for msg, bytes := range d.lines() {
		a.log[msg] = bytes - log[msg]
	}
	return a
}

func (d *disk) lines() map[string]int {
	d.served.counts.mu.Lock()
	defer d.served.counts.mu.Unlock()
	return maps.Clone(d.served.counts.bytes)
}

func (d *disk) checkpoint() {
	d.t.Helper()
	_, err := d.admin.Exec(d.t.Context(), `CHECKPOINT`)
	d.must(err)
}

// flows measures the write-ahead log of a visit, with as many visits between two checkpoints as
// some practices have. A page that changes is written as a whole after each checkpoint, so few
// visits cost more each than many.
func (d *disk) flows() map[int]float64 {
	d.t.Helper()
	visit := map[int]float64{}
	for _, practices := range sizesOfCell {
		visits := between(practices)
		rounds := max(1, 10/visits)
		for range rounds {
			d.rest()
			d.checkpoint()
			before := d.written()
			d.come(visits, min(visits, 4))
			d.rest()
			visit[practices] += (d.written() - before) / float64(visits*rounds)
		}
	}
	return visit
}

// quiet is how many bytes of WAL a minute a service without calls writes.
func (d *disk) quiet() float64 {
	d.t.Helper()
	d.settle() // or autovacuum runs meanwhile
	before, began := d.written(), clock.Start()
	pauseFor(d.t.Context(), quietTime)
	return (d.written() - before) / began.Elapsed().Minutes()
}

func (d *disk) written() (bytes float64) {
	d.t.Helper()
	d.must(d.admin.QueryRow(d.t.Context(), `SELECT (pg_current_wal_lsn() - '0/0')::float8`).Scan(&bytes))
	return bytes
}

// refuse makes calls about patients who do not exist, for one application.
func (d *disk) refuse(by, calls int, body func() string) {
	d.t.Helper()
	of, integrator := d.practices[0], d.integrators[by]
	for range calls {
		status, text, err := d.send(context.WithoutCancel(d.t.Context()), d.urls[0], of.tenant, "create-note", body(), integrator.Token(clock.System()))
		if err != nil || status < 400 || status >= 500 || status == http.StatusTooManyRequests {
			d.t.Errorf("a call about an unknown patient is answered %d %s, %v", status, text, err)
			return
		}
	}
}

func aNoteAbout(patient uuid.UUID) string {
	return fmt.Sprintf(`{"patientId":%q,"note":%q}`, patient, aText)
}

// refuseEach makes refusals that differ: each has a line. The first application makes none, as
// for a minute after so many kinds even its equal refusals would have a line each.
func (d *disk) refuseEach() {
	d.t.Helper()
	var calling sync.WaitGroup
	for by := 1; by < diskReceivers; by++ {
		calling.Go(func() {
			d.refuse(by, equalRefusals, func() string { return aNoteAbout(uuid.New()) })
		})
	}
	calling.Wait()
}

const ofUnknown = `SELECT count(*), coalesce(sum(1 + repeats), 0) FROM access_record WHERE patient = $1`

// refuseAgain makes equal refusals, and returns how many lines each of them takes.
func (d *disk) refuseAgain() (lines float64) {
	d.t.Helper()
	d.keyed = false
	defer func() { d.keyed = true }()
	unknown := uuid.New()
	d.refuse(0, equalRefusals, func() string { return aNoteAbout(unknown) })
	var counted, calls int
	clocktest.Eventually(d.t, func() bool {
		d.must(d.admin.QueryRow(d.t.Context(), ofUnknown, unknown).Scan(&counted, &calls))
		return calls == equalRefusals
	}, "the access record has all of %d equal refusals", equalRefusals)
	if counted > 2*linesOfRepeats { // they may come within two minutes
		d.t.Errorf("%d equal refusals are %d lines", calls, counted)
	}
	return float64(counted) / equalRefusals
}

// forget has a further process end the time limit of all webhooks.
func (d *disk) forget() {
	d.t.Helper()
	serve(d.t, d.receiver, "--database-url", d.url, "--delivery-retention=1s")
	clocktest.Eventually(d.t, func() (done bool) {
		d.must(d.admin.QueryRow(d.t.Context(), `SELECT NOT EXISTS (SELECT FROM deliveries)`).Scan(&done))
		return done
	}, "all webhooks have left deliveries")
}
