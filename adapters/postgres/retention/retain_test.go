package retention_test

import (
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/postgres/retention"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
)

// office is a database whose records are kept by a clock that is moved by hand.
type office struct {
	*retention.Retain
	t     *testing.T
	db    *postgrestest.Database
	owner *pgxpool.Pool
	now   time.Time
	said  []string
	n     uint16
}

func newOffice(t *testing.T) *office {
	t.Helper()
	db := postgrestest.New(t)
	o := &office{t: t, db: db, owner: db.AdminPool(t), now: day(2026, 3, 20)}
	codec, err := event.NewCodec(audit.Events()...)
	must(t, err)
	store := &postgres.Store{DB: postgres.On(o.owner), Codec: codec, Now: func() time.Time { return o.now }, Appended: &postgres.Bell{}}
	o.Retain = &retention.Retain{
		Pool: o.owner, Store: store, Dir: t.TempDir(), Now: func() time.Time { return o.now },
		Say: func(text string) { o.said = append(o.said, text) },
	}
	return o
}

var september = day(2026, 9, 1)

func day(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 12, 0, 0, 0, time.UTC)
}

// minted is an identifier as it was minted at an instant.
func (o *office) minted(at time.Time) (id uuid.UUID) {
	o.n++
	binary.BigEndian.PutUint64(id[:], uint64(at.UnixMilli())<<16|0x7000)
	binary.BigEndian.PutUint16(id[14:], o.n)
	id[8] = 0x80
	return id
}

// calls adds a line of the access record for each instant, as the program does.
func (o *office) calls(at ...time.Time) {
	o.t.Helper()
	for _, at := range at {
		_, err := o.db.Pool(o.t).Exec(o.t.Context(), `
			INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, patient, status, code, reason, token_hash)
			VALUES ($1, $2, 'elm', gen_random_uuid(), 'application-restricted', 'ping', gen_random_uuid(), 200, '', E'\\ "line"\n', '\xbeef') ON CONFLICT (request_id) DO NOTHING`, o.minted(at), at)
		must(o.t, err)
	}
}

// tell adds a delivery that was forgotten, of an event of an instant.
func (o *office) tell(at ...time.Time) {
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

// all returns every line of a table, with its columns, by its key.
func (o *office) all(table, key string) map[string]string {
	o.t.Helper()
	lines := map[string]string{}
	rows, _ := o.owner.Query(o.t.Context(), `SELECT `+key+`::text, row_to_json(t)::text FROM `+table+` t`)
	var id, text string
	_, err := pgx.ForEachRow(rows, []any{&id, &text}, func() error { lines[id] = text; return nil })
	must(o.t, err)
	return lines
}

// archived returns every line of the files, and fails if one stands twice.
func (o *office) archived(prefix, key string) map[string]string {
	o.t.Helper()
	lines := map[string]string{}
	names, err := filepath.Glob(filepath.Join(o.Dir, prefix+"*.jsonl.gz"))
	must(o.t, err)
	for _, name := range names {
		for line := range strings.Lines(unpacked(o.t, name)) {
			var columns map[string]any
			must(o.t, json.Unmarshal([]byte(line), &columns))
			id := columns[key].(string)
			if lines[id] != "" {
				o.t.Errorf("%s is archived twice", id)
			}
			lines[id] = strings.TrimSpace(line)
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

func TestPartitionsAreAheadOfTheLines_D72(t *testing.T) {
	t.Parallel()
	for name, large := range map[string]bool{"small": false, "large": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			if large {
				o.TakeAllForLarge()
			}
			o.calls(day(2024, 1, 2), day(2026, 3, 1))
			o.run()
			o.calls(day(2026, 3, 31), day(2026, 4, 1), day(2026, 5, 2))
			o.wantMonths("access_record", map[string]int{"until_2026_05": 4, "2026_05": 1, "default": 0})
			o.run()
			o.now = day(2026, 4, 30)
			o.run()
			o.wantMonths("access_record", map[string]int{"until_2026_05": 4, "2026_05": 1, "2026_06": 0, "default": 0})
			o.now = day(2026, 9, 30) // nobody ran it meanwhile
			o.calls(day(2026, 7, 1), day(2026, 9, 30))
			o.run()
			o.wantMonths("access_record", map[string]int{"until_2026_05": 4, "2026_05": 1, "2026_06": 0, "until_2026_11": 2, "2026_11": 0, "default": 0})
			o.wantMonths("delivered", map[string]int{"until_2026_05": 0, "2026_05": 0, "2026_06": 0, "until_2026_11": 0, "2026_11": 0, "default": 0})
			var bounds int
			must(t, o.owner.QueryRow(t.Context(), `SELECT count(*) FROM pg_constraint WHERE conname = 'retain_bounds'`).Scan(&bounds))
			if bounds > 0 {
				t.Error("a constraint is left")
			}
		})
	}
}

// aged has lines in a partition of before, and in those of some months.
func aged(t *testing.T, until time.Time) *office {
	t.Helper()
	o := newOffice(t)
	o.calls(day(2024, 12, 31), day(2026, 3, 1))
	o.run()
	for o.now = day(2026, 4, 20); o.now.Before(until); o.now = o.now.AddDate(0, 1, 0) {
		o.calls(o.now, o.now)
		o.tell(o.now)
		o.run()
	}
	o.Keep = retention.Period{Days: 70}
	return o
}

func TestWhatIsOldIsMovedToFiles_D72(t *testing.T) {
	t.Parallel()
	o := aged(t, september)
	calls, told := o.all("access_record", "request_id"), o.all("delivered", "event")
	o.run()
	o.wantMonths("access_record", map[string]int{"2026_07": 2, "2026_08": 2, "2026_09": 0, "2026_10": 0, "2026_11": 0, "default": 0})
	wantWhole(t, calls, o.all("access_record", "request_id"), o.archived("access_record", "request_id"))
	wantWhole(t, told, o.all("delivered", "event"), o.archived("delivered", "event"))
	var manifest struct {
		File, Record, SHA256 string
		From, To             *time.Time
		Lines                int
	}
	text, err := os.ReadFile(filepath.Join(o.Dir, "access_record_2026_05.jsonl.gz.manifest.json"))
	must(t, err)
	must(t, json.Unmarshal(text, &manifest))
	if manifest.Lines != 2 || !manifest.From.Equal(day(2026, 5, 1).Add(-12*time.Hour)) || manifest.Record != "access_record" {
		t.Errorf("the manifest is %s", text)
	}
	var lines int
	var digest string
	must(t, o.owner.QueryRow(t.Context(), `SELECT lines, sha256 FROM archives WHERE name = 'access_record_2026_05' AND archived_at IS NOT NULL`).Scan(&lines, &digest))
	said := o.log()["access_record_2026_05"]
	if digest != manifest.SHA256 || said.SHA256.String() != digest || lines != 2 || said.Lines != 2 {
		t.Errorf("the database says %d lines, %s; the log %+v; the manifest %s", lines, digest, said, text)
	}
	if again, err := o.owner.Exec(t.Context(), `INSERT INTO access_record SELECT (json_populate_record(NULL::access_record, $1::json)).*`,
		strings.SplitN(unpacked(t, filepath.Join(o.Dir, manifest.File)), "\n", 2)[0]); err != nil || again.RowsAffected() != 1 {
		t.Errorf("a line cannot be put back: %v", err)
	}
}

// log is what the event log says of archives.
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

// wantWhole fails unless each line is either in the database or in a file, as it was.
func wantWhole(t *testing.T, before, live, archived map[string]string) {
	t.Helper()
	for id := range live {
		if archived[id] != "" {
			t.Errorf("line %s is in the database and in a file", id)
		}
	}
	together := maps.Clone(live)
	for id, text := range archived {
		together[id] = text
	}
	if diff := cmp.Diff(before, together); diff != "" {
		t.Errorf("lines before, and in both places (-want +got):\n%s", diff)
	}
}

var errStopped = errors.New("stopped")

func TestARunThatIsStoppedIsFinishedByTheNext_D72(t *testing.T) {
	t.Parallel()
	steps := stopped(t, 0)
	if steps < 25 {
		t.Fatalf("a run makes %d steps only", steps)
	}
	for n := 1; n <= steps; n++ {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			stopped(t, n)
		})
	}
}

// stopped has a run stopped behind its nth step, a year after it was run last, and another
// one finish it. It returns how many steps the first one made.
func stopped(t *testing.T, n int) int {
	t.Helper()
	o := aged(t, day(2026, 5, 1))
	o.TakeAllForLarge()
	o.now = o.now.AddDate(1, 0, 0)
	o.calls(o.now)
	calls, told := o.all("access_record", "request_id"), o.all("delivered", "event")
	made := o.Stopping(n, errStopped)
	if err := o.Run(t.Context()); n > 0 && !errors.Is(err, errStopped) || n == 0 && err != nil {
		t.Fatalf("the run that is stopped: %v", err)
	}
	steps := *made
	o.calls(o.now) // the service goes on
	calls[slices.Max(slices.Collect(maps.Keys(o.all("access_record", "request_id"))))] = ""
	o.Stopping(0, nil)
	o.run()
	live, archived := o.all("access_record", "request_id"), o.archived("access_record", "request_id")
	for id := range calls {
		if calls[id] == "" {
			calls[id] = live[id]
		}
	}
	wantWhole(t, calls, live, archived)
	wantWhole(t, told, o.all("delivered", "event"), o.archived("delivered", "event"))
	if files, _ := filepath.Glob(filepath.Join(o.Dir, "*.jsonl.gz")); len(files) != len(o.log()) {
		t.Errorf("%d files, %d events", len(files), len(o.log()))
	}
	if drafts, _ := filepath.Glob(filepath.Join(o.Dir, "*.draft")); len(drafts) > 0 {
		t.Errorf("left behind: %v", drafts)
	}
	o.wantMonths("access_record", map[string]int{"until_2027_07": 2, "2027_07": 0, "default": 0})
	o.wantMonths("delivered", map[string]int{"until_2027_07": 0, "2027_07": 0, "default": 0})
	return steps
}

// What somebody reads of a month keeps it from being taken out, and nobody else waits.
func TestAReaderIsWaitedForWhileCallsGoOn_D54(t *testing.T) {
	t.Parallel()
	o := aged(t, september)
	reader, err := o.db.Pool(t).Begin(t.Context())
	must(t, err)
	_, err = reader.Exec(t.Context(), `SELECT FROM access_record`)
	must(t, err)
	waits, done := make(chan string, 100), make(chan error, 1)
	o.Tell = func(text string) { waits <- text }
	go func() { done <- o.Run(context.WithoutCancel(t.Context())) }()
	if told := <-waits; !strings.Contains(told, "user frontdesk_app") {
		t.Errorf("told is %q", told)
	}
	o.calls(day(2026, 9, 20))
	must(t, reader.Rollback(t.Context()))
	must(t, <-done)
	o.wantMonths("access_record", map[string]int{"2026_07": 2, "2026_08": 2, "2026_09": 1, "2026_10": 0, "2026_11": 0, "default": 0})
}

func TestTwoRunsAreNotAtItAtOnce_D72(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	other, err := postgres.NewAlone(t.Context(), o.owner, postgres.RetentionLock, "frontdesk retain")
	must(t, err)
	if held, err := other.Try(t.Context()); err != nil || !held {
		t.Fatal(held, err)
	}
	if err := o.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "Another retain is running: pid ") {
		t.Errorf("a second run says %v", err)
	}
	must(t, other.Release(t.Context()))
	o.run()
}

func TestNobodyChangesAPartition_D72(t *testing.T) {
	t.Parallel()
	o := aged(t, september)
	for _, table := range []string{"access_record", "delivered"} {
		for _, part := range []string{"", "_default", "_until_2026_05", "_2026_08"} {
			for _, change := range []string{`DELETE FROM %s`, `TRUNCATE %s`, `UPDATE %s SET tenant = 'oak'`} {
				statement := fmt.Sprintf(change, table+part)
				if _, err := o.owner.Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "append-only") {
					t.Errorf("a slip of the owner, %s: %v", statement, err)
				}
				if _, err := o.db.Pool(t).Exec(t.Context(), statement); err == nil {
					t.Errorf("the serving role may %s", statement)
				}
			}
			var writes, reads bool
			must(t, o.owner.QueryRow(t.Context(), `SELECT has_table_privilege('frontdesk_app', $1, 'INSERT'), has_table_privilege('frontdesk_audit', $1, 'SELECT')`, table+part).Scan(&writes, &reads))
			if writes != (part == "") || !reads {
				t.Errorf("%s: the serving role may write: %t, auditors may read: %t", table+part, writes, reads)
			}
		}
	}
}

var remedy = regexp.MustCompile("(?s)```\nBEGIN;\n.*?```")

// What a clock that was wrong has left is named, and the page's remedy helps.
func TestLinesOfAWrongClockArePutAside_D72(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.run()
	o.calls(day(2026, 3, 20), day(2031, 1, 1))
	if err := o.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "access_record_default has lines from 2031-01-01T12:00:00Z to 2031-01-01T12:00:00Z") {
		t.Errorf("it says %v", err)
	}
	page, err := os.ReadFile("../../../docs/retention.md")
	must(t, err)
	mend := strings.Trim(remedy.FindString(string(page)), "`")
	_, err = o.owner.Exec(t.Context(), mend, pgx.QueryExecModeSimpleProtocol)
	must(t, err)
	o.run()
	o.wantMonths("access_record", map[string]int{"until_2026_05": 1, "2026_05": 0, "default": 0})
	var aside int
	must(t, o.owner.QueryRow(t.Context(), `SELECT count(*) FROM strayed`).Scan(&aside))
	if aside != 1 {
		t.Errorf("%d lines are put aside", aside)
	}
}
