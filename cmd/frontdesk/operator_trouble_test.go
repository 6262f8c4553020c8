//go:build walk

package main_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// The situations in which the lines of the first page are typed, and their effects.

// stops kills all processes that were left running.
func (o *operator) stops() {
	o.t.Helper()
	o.types("kill -KILL $(cat ~/running/*); rm ~/running/*")
}

func (o *operator) serves() {
	o.t.Helper()
	o.does("operate/start.md", stage{below: "Run the service"})
}

// anEpochBegins begins an epoch after the files of the database were put back, as in the
// page.
func (o *operator) anEpochBegins() {
	o.t.Helper()
	o.stops()
	o.types(o.meant("frontdesk audit begin-epoch --database-url postgres://owner@db/frontdesk --reason 'The volume was put back.'"))
	o.serves()
}

func (o *operator) hasAFreshCluster() {
	o.t.Helper()
	o.hasPostgres("new-db")
}

// servesFromIt checks the owners in the fresh cluster, and serves from it.
func (o *operator) servesFromIt() {
	o.t.Helper()
	o.types(`superuser --dbname frontdesk --tuples-only --no-align <<< "SELECT DISTINCT 'belongs to ' || tableowner FROM pg_tables WHERE schemaname = 'public'"
superuser --tuples-only --no-align <<< "SELECT 'superuser is ' || rolname FROM pg_roles WHERE rolsuper"`)
	if o.said != "belongs to owner\nsuperuser is postgres\n" {
		o.t.Errorf("in the fresh cluster:\n%s", o.said)
	}
	o.stops()
	o.types(o.meant("frontdesk serve --database-url postgres://frontdesk_app@new-db/frontdesk\nuntil frontdesk ready; do sleep 0.1; done\n" +
		"FRONTDESK_DATABASE_URL=postgres://alice@new-db/frontdesk frontdesk practice register --tenant oak-lane --name 'Oak Lane Surgery'\n" +
		"frontdesk audit log --event log.epoch-begun --database-url postgres://alice@new-db/frontdesk\n" +
		"frontdesk practice list --database-url postgres://alice@new-db/frontdesk"))
	o.wants("…log.epoch-begun.v1…\nelm-street…\noak-lane…\n")
	o.stops()
	o.goesTo("db")
	o.serves()
}

// losesAPractice has one that was registered before a moment, and one after it.
func (o *operator) losesAPractice() {
	o.t.Helper()
	o.types("frontdesk practice register --tenant beech-road --name 'Beech Road Surgery'\nsleep 0.1\n" +
		`superuser --tuples-only --no-align <<< "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"`)
	lines := strings.Split(strings.TrimSpace(o.said), "\n")
	o.insteadOf("2026-03-02T12:00:00Z", lines[len(lines)-1])
	o.types("frontdesk practice register --tenant cedar-way --name 'Cedar Way Surgery'\n" +
		`segment=$(superuser --tuples-only --no-align <<< "SELECT pg_walfile_name(pg_switch_wal())")` + "\n" +
		o.meant(`until [ -e "/var/backups/postgresql/wal/$segment.gz" ]; do sleep 0.1; done`))
	o.stops()
}

func (o *operator) isBackThere() {
	o.t.Helper()
	o.serves()
	o.types("frontdesk practice list\nfrontdesk audit log --event log.epoch-begun")
	o.wants("beech-road…\n…log.epoch-begun.v1…\n…log.epoch-begun.v1…\n")
	if strings.Contains(o.said, "cedar-way") {
		o.t.Errorf("after the moment there is\n%s", o.said)
	}
	o.stops() // as the page describes the next step
}

func (o *operator) hasParked() {
	o.t.Helper()
	o.serves()
	o.types(`superuser --dbname frontdesk <<< "INSERT INTO parked_events SELECT 'webhooks.v1', 1, id, name, 'deliveries_check', now() FROM events LIMIT 1"`)
}

func (o *operator) hasAWrongRow() {
	o.t.Helper()
	o.types(`superuser --dbname frontdesk <<< "UPDATE practices SET name = 'Another'"`)
}

// isCalled gets a request id of a call.
func (o *operator) isCalled() {
	o.t.Helper()
	said := o.types(o.meant(`curl --silent --include --header 'Host: elm-street.api.example.org' http://127.0.0.1:8080/transactional-api/ping`))
	_, id, found := strings.Cut(said, "X-Request-Id: ")
	if !found {
		o.t.Fatalf("the call is answered %s", said)
	}
	o.insteadOf("0190c7a2-0000-7000-8000-00000000f009", id[:36])
}

// hasLeft checks the files that the practice is given.
func (o *operator) hasLeft() {
	o.t.Helper()
	if events := o.read("srv/leaving/elm-street/events.jsonl"); strings.Count(events, "\n") < 14 {
		o.t.Errorf("the export is %s", events)
	}
}

// isPutRight checks that the list matches the log.
func (o *operator) isPutRight() {
	o.t.Helper()
	o.types("frontdesk practice list")
	o.wants("elm-street  Elm Street Surgery …\n")
}

func (o *operator) hasACachedSequence() {
	o.t.Helper()
	o.types(`superuser --dbname frontdesk <<< 'ALTER SEQUENCE events_position_seq CACHE 20'
while frontdesk ready; do sleep 0.1; done`)
}

func (o *operator) isReady() { o.types("until frontdesk ready; do sleep 0.1; done") }

// hasPassedOver has an event at a position that the log has passed.
func (o *operator) hasPassedOver() {
	o.t.Helper()
	o.types(`passed=$(superuser --dbname frontdesk --tuples-only --no-align <<< "SELECT nextval('events_position_seq')")
frontdesk practice register --tenant ash-hill --name 'Ash Hill Surgery'
until [ "$(superuser --dbname frontdesk --tuples-only --no-align <<< "SELECT gaps FROM sequencer WHERE reached > $passed")" = '{}' ]; do sleep 0.1; done
superuser --dbname frontdesk <<< "SELECT setval('events_position_seq', $passed, false)"
frontdesk practice register --tenant fir-close --name 'Fir Close Surgery'`)
}

func (o *operator) hasPlaced() {
	o.t.Helper()
	o.types(`until frontdesk audit log --tenant fir-close | grep practice.registered; do sleep 0.1; done`)
}

// somebodyWrites leaves a transaction open that has written to events.
func (o *operator) somebodyWrites() {
	o.t.Helper()
	writer, err := pgx.Connect(o.t.Context(), fmt.Sprintf("host=%s/run port=%s user=postgres dbname=frontdesk", o.dir, o.db["db"]))
	o.must(err)
	o.t.Cleanup(func() { _ = writer.Close(o.t.Context()) })
	_, err = writer.Exec(o.t.Context(), "BEGIN; LOCK TABLE events IN ROW EXCLUSIVE MODE")
	o.must(err)
	o.insteadOf("pid=1 ", fmt.Sprintf("pid=%d ", writer.PgConn().PID()))
}

func (o *operator) nobodyWrites() {
	o.t.Helper()
	waitFor(o.t, func() bool {
		time.Sleep(10 * time.Millisecond)
		return !strings.Contains(o.types(`superuser --dbname frontdesk --tuples-only <<< "SELECT mode FROM pg_locks WHERE relation = 'events'::regclass"`), "RowExclusive")
	})
}
