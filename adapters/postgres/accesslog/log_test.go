package accesslog_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/domain/access"
)

// rows are all lines in the order of their numbers.
func (r *register) rows(t *testing.T) (all []accesslog.Row) {
	t.Helper()
	for idx := int64(0); ; idx = int64(len(all)) {
		page, err := r.read.Rows(t.Context(), idx)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
	}
}

// wantNumbered fails unless the calls have the numbers from 1, and no other line has one.
func (r *register) wantNumbered(t *testing.T, want ...uuid.UUID) {
	t.Helper()
	var got []uuid.UUID
	for _, row := range r.rows(t) {
		got = append(got, row.Leaf.RequestID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("numbered (-want +got):\n%s", diff)
	}
}

func (r *register) number(t *testing.T) {
	t.Helper()
	for {
		lines, err := r.read.Number(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		if lines == 0 {
			return
		}
	}
}

// A line is in the tree of its practice, or in that of none, for good.
func TestLinesAreNumberedAsTheyAreWritten_D80(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	admin := r.db.AdminPool(t)
	enginetest.MustExec(t, admin, `INSERT INTO practices (tenant, name, time_zone) VALUES ('elm-street', 'Elm', 'UTC')`)
	whole, sparse, stranger := aCall(), aPing(), aPing()
	stranger.Tenant = "nowhere"
	for _, c := range []access.Call{whole, sparse, stranger, whole} {
		r.Record(c)
	}
	r.runOnce(t)
	enginetest.MustExec(t, admin, `INSERT INTO practices (tenant, name, time_zone) VALUES ('nowhere', 'Late', 'UTC')`)
	late := aPing()
	late.Tenant = "nowhere"
	rows := r.rows(t)
	if len(rows) != 3 || rows[0].Reason != whole.Reason || rows[0].Leaf.RequestID != whole.RequestID || rows[0].Leaf.Act == nil || rows[1].Act != nil {
		t.Fatalf("the rows are %+v", rows)
	}
	copied, err := r.Pool.CopyFrom(t.Context(), pgx.Identifier{"access_record"},
		[]string{"request_id", "at", "tenant", "application", "mode", "endpoint", "status", "code", "reason", "token_hash"},
		pgx.CopyFromRows([][]any{{late.RequestID, late.At, late.Tenant, late.Application.UUID, "", "ping", 200, "", "", []byte{0}}}))
	if err != nil || copied != 1 {
		t.Fatal(copied, err)
	}
	var trees []string
	rows = r.rows(t)
	for _, row := range rows {
		trees = append(trees, row.Tree)
	}
	if want := []string{"elm-street", "elm-street", "", "nowhere"}; !slices.Equal(trees, want) {
		t.Errorf("the lines are in the trees %q, want %q", trees, want)
	}
	enginetest.MustExec(t, admin, `ALTER TABLE access_record DISABLE TRIGGER USER; ALTER TABLE access_record_default DISABLE TRIGGER USER; UPDATE access_record SET status = 204 WHERE tenant = 'nowhere'`)
	for n, row := range r.rows(t) {
		if changed := row.Hash() != rows[n].Hash(); changed != (n > 1) {
			t.Errorf("line %d: the leaf has changed: %t", n, changed)
		}
	}
	enginetest.MustExec(t, admin, `DELETE FROM access_record WHERE request_id = '`+sparse.RequestID.String()+`'`)
	if page, err := r.read.Rows(t.Context(), 0); err == nil || errors.Is(err, accesslog.ErrArchived) || len(page) != 1 {
		t.Errorf("a line that is gone: %d lines, %v", len(page), err)
	}
}

// A transaction that hangs while it holds the head blocks no writer.
func TestWritersDoNotWaitForNumbers_D80(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	hung, other := aPing(), aPing()
	tx, err := r.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(t.Context(), `INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, status, code, reason, token_hash)
		VALUES ($1, now(), 'elm', $1, '', 'ping', 200, '', '', '\x00')`, hung.RequestID)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []access.Call{other, other} {
		r.Record(c)
	}
	r.runOnce(t)
	r.wantLost(t, 0)
	r.number(t)
	r.wantNumbered(t)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.number(t)
	r.wantNumbered(t, hung.RequestID, other.RequestID)
}

// Many write at once, some lines repeatedly, and partitions come and go.
func TestConcurrentNumbersHaveNoGap_D80(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	shared, admin := []access.Call{aPing(), aPing(), aPing()}, r.db.AdminPool(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 25 {
				own := &register{Recorder: accesslog.NewRecorder(r.Pool, prometheus.NewRegistry(), r.Log)}
				for _, c := range slices.Concat([]access.Call{aPing()}, shared) {
					own.Record(c)
				}
				own.runOnce(t)
				_, err := r.read.Number(t.Context(), 10)
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	enginetest.MustExec(t, admin, `CREATE TABLE access_record_later PARTITION OF access_record FOR VALUES FROM ('a0000000-0000-0000-0000-000000000000') TO ('b0000000-0000-0000-0000-000000000000')`)
	all.Wait()
	in := uuid.MustParse("a0000000-0000-7000-8000-000000000001")
	c := aPing()
	c.RequestID = in
	r.Record(c)
	r.runOnce(t)
	r.number(t)
	rows := r.rows(t)
	ids := map[uuid.UUID]bool{}
	for _, row := range rows {
		ids[row.Leaf.RequestID] = true
	}
	if len(rows) != 104 || len(ids) != 104 || !ids[in] {
		t.Errorf("%d lines have numbers, %d of them once, and the one of a partition that came later: %t", len(rows), len(ids), ids[in])
	}
}

func TestTheServingRoleCannotChangeNumbers_D80(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	for _, table := range []string{"access_log", "access_head", "access_waiting", "archived_trees"} {
		var may bool
		err := r.Pool.QueryRow(t.Context(), `SELECT has_table_privilege($1, 'INSERT, UPDATE, DELETE, TRUNCATE') OR has_table_privilege('frontdesk_audit', $1, 'INSERT, UPDATE, DELETE, TRUNCATE')
			OR NOT has_table_privilege('frontdesk_audit', $1, 'SELECT')`, table).Scan(&may)
		if err != nil || may {
			t.Errorf("%s: %t, %v", table, may, err)
		}
	}
	_, err := r.Pool.Exec(t.Context(), `CREATE TEMPORARY TABLE mine (LIKE access_record);
		CREATE TRIGGER forged AFTER INSERT ON mine REFERENCING NEW TABLE AS line FOR EACH STATEMENT EXECUTE FUNCTION number_new_calls()`)
	if !strings.Contains(enginetest.Text(err), "permission denied") {
		t.Errorf("a table of its own numbers its lines: %v", err)
	}
}
