package retention_test

import (
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/postgres/retention"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/proof/export"
)

// office is a database with records, and a clock that is moved by hand.
type office struct {
	*retention.Retain
	t       *testing.T
	db      *postgrestest.Database
	owner   *pgxpool.Pool
	now     time.Time
	reports []string
	n       atomic.Uint32
}

func newOffice(t *testing.T) *office {
	t.Helper()
	db := postgrestest.New(t)
	o := &office{t: t, db: db, owner: db.AdminPool(t), now: day(2026, 3, 20)}
	o.proves(1 << 60) // as if a prover had run
	codec, err := event.NewCodec(audit.Events()...)
	must(t, err)
	store := &eventstore.Store{DB: postgres.On(o.owner), Codec: codec, Now: func() time.Time { return o.now }, Appended: &background.Broadcast{}}
	o.Retain = &retention.Retain{
		Pool: o.owner, Store: store, Dir: t.TempDir(), Now: func() time.Time { return o.now },
		Say: func(text string) { o.reports = append(o.reports, text) }, Unproved: true,
	}
	return o
}

// proves sets the position of the access record's trees.
func (o *office) proves(idx int64) {
	o.t.Helper()
	_, err := o.owner.Exec(o.t.Context(), `UPDATE prover SET idx = $1 WHERE kind = 2`, idx)
	must(o.t, err)
}

var september = day(2026, 9, 1)

func day(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 12, 0, 0, 0, time.UTC)
}

// minted is an identifier of an instant.
func (o *office) minted(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:], uint64(at.UnixMilli())<<16|0x7000)
	binary.BigEndian.PutUint32(id[12:], o.n.Add(1))
	id[8] = 0x80
	return id
}

// calls adds a line of the access record for each instant, as the program does.
func (o *office) calls(at ...time.Time) {
	o.t.Helper()
	o.callsOf("elm", at...)
}

// callsOf adds lines for a practice.
func (o *office) callsOf(tenant string, at ...time.Time) {
	o.t.Helper()
	for _, at := range at {
		_, err := o.db.Pool(o.t).Exec(o.t.Context(), `
			INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, patient, status, code, reason, token_hash)
			VALUES ($1, $2, $3, gen_random_uuid(), 'application-restricted', 'ping', gen_random_uuid(), 200, '', E'\\ "line"\n', '\xbeef') ON CONFLICT (request_id) DO NOTHING`, o.minted(at), at, tenant)
		must(o.t, err)
	}
}

// addDelivery adds an old delivery without details, of an event at an instant.
func (o *office) addDelivery(at ...time.Time) {
	o.t.Helper()
	for _, at := range at {
		_, err := o.db.Pool(o.t).Exec(o.t.Context(), `
			INSERT INTO delivered (event, application, idx, tenant, kind, patient, destination, happened_at, finished_at, status)
			VALUES ($1, gen_random_uuid(), 7, 'elm', 'record.opened', gen_random_uuid(), gen_random_uuid(), $2, $2, 'delivered')`, o.minted(at), at)
		must(o.t, err)
	}
}

func (o *office) run() {
	o.t.Helper()
	must(o.t, o.Run(o.t.Context()))
}

// months counts the lines of each partition of a table.
func (o *office) months(table string) map[string]int {
	o.t.Helper()
	counts := map[string]int{}
	rows, _ := o.owner.Query(o.t.Context(), `SELECT c.relname::text, (xpath('/row/n/text()', query_to_xml('SELECT count(*) AS n FROM ' || c.relname, false, true, '')))[1]::text::int
		FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = $1::text::regclass`, table)
	var name string
	var n int
	_, err := pgx.ForEachRow(rows, []any{&name, &n}, func() error { counts[strings.TrimPrefix(name, table+"_")] = n; return nil })
	must(o.t, err)
	return counts
}

func (o *office) wantMonths(table string, want map[string]int) {
	o.t.Helper()
	if diff := cmp.Diff(want, o.months(table)); diff != "" {
		o.t.Errorf("lines of the partitions of %s (-want +got):\n%s", table, diff)
	}
}

// all returns every line of a table by its key, as a file has it.
func (o *office) all(table, key string) map[string]string {
	o.t.Helper()
	if table == retention.AccessRecord {
		return o.numbered()
	}
	lines := map[string]string{}
	rows, _ := o.owner.Query(o.t.Context(), `SELECT `+key+`::text, row_to_json(t)::text FROM `+table+` t`)
	var id, text string
	_, err := pgx.ForEachRow(rows, []any{&id, &text}, func() error { lines[id] = text; return nil })
	must(o.t, err)
	return lines
}

// numbered returns every line of the access record that has a number.
func (o *office) numbered() map[string]string {
	o.t.Helper()
	record := accesslog.Record{DB: o.owner}
	_, err := record.Number(o.t.Context(), 100)
	must(o.t, err)
	kept, err := record.Kept(o.t.Context())
	must(o.t, err)
	lines := map[string]string{}
	for row, err := range record.Each(o.t.Context(), kept.Idx) {
		must(o.t, err)
		if row.Archived == nil {
			line := export.AccessLine{Leaf: row.Leaf, Reason: []byte(row.Reason), Sealed: row.Sealed}
			lines[row.Leaf.RequestID.String()] = lineOf(o.t, line)
		}
	}
	return lines
}

// archived returns every line of the files, and fails on duplicates.
func (o *office) archived(prefix, key string) map[string]string {
	o.t.Helper()
	lines := map[string]string{}
	names, err := filepath.Glob(filepath.Join(o.Dir, prefix+"*.jsonl.gz"))
	must(o.t, err)
	for _, name := range names {
		for line := range strings.Lines(unpacked(o.t, name)) {
			id, text := known(o.t, line, key)
			if lines[id] != "" {
				o.t.Errorf("%s is archived twice", id)
			}
			if id != "" {
				lines[id] = text
			}
		}
	}
	return lines
}

func unpacked(t *testing.T, name string) string {
	t.Helper()
	file, err := os.Open(name)
	must(t, err)
	defer file.Close()
	reader, err := gzip.NewReader(file)
	must(t, err)
	text, err := io.ReadAll(reader)
	must(t, err)
	return string(text)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// aged has lines in an old partition, and in those of some months.
func aged(t *testing.T, until time.Time) *office {
	t.Helper()
	o := newOffice(t)
	o.calls(day(2024, 12, 31), day(2026, 3, 1))
	o.run()
	for o.now = day(2026, 4, 20); o.now.Before(until); o.now = o.now.AddDate(0, 1, 0) {
		o.calls(o.now, o.now)
		o.addDelivery(o.now)
		o.run()
	}
	o.Keep = retention.Period{Days: 70}
	return o
}

// log returns the event log's archives.
func (o *office) log() map[string]audit.Archived {
	o.t.Helper()
	found := map[string]audit.Archived{}
	rows, _ := o.owner.Query(o.t.Context(), `SELECT data FROM events WHERE name = 'audit.archived.v1'`)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(o.t, err)
	for _, text := range all {
		var a audit.Archived
		must(o.t, json.Unmarshal([]byte(text), &a))
		found[a.Name] = a
	}
	if len(found) != len(all) {
		o.t.Errorf("%d events for %d archives", len(all), len(found))
	}
	return found
}
