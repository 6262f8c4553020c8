package postgres_test

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

	"frontdesk/adapters/postgres"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
)

// rows are all lines in the order of their numbers.
func (r *register) rows(t *testing.T) (all []postgres.AccessRow) {
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
	mustExec(t, admin, `INSERT INTO practices (tenant, name, time_zone) VALUES ('elm-street', 'Elm', 'UTC')`)
	whole, sparse, stranger := aCall(), aPing(), aPing()
	stranger.Tenant = "nowhere"
	for _, c := range []access.Call{whole, sparse, stranger, whole} {
		r.Record(c)
	}
	r.runOnce(t)
	mustExec(t, admin, `INSERT INTO practices (tenant, name, time_zone) VALUES ('nowhere', 'Late', 'UTC')`)
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
	mustExec(t, admin, `ALTER TABLE access_record DISABLE TRIGGER USER; ALTER TABLE access_record_default DISABLE TRIGGER USER; UPDATE access_record SET status = 204 WHERE tenant = 'nowhere'`)
	for n, row := range r.rows(t) {
		if changed := row.Hash() != rows[n].Hash(); changed != (n > 1) {
			t.Errorf("line %d: the leaf has changed: %t", n, changed)
		}
	}
	mustExec(t, admin, `DELETE FROM access_record WHERE request_id = '`+sparse.RequestID.String()+`'`)
	if page, err := r.read.Rows(t.Context(), 0); err == nil || errors.Is(err, postgres.ErrArchived) || len(page) != 1 {
		t.Errorf("a line that is gone: %d lines, %v", len(page), err)
	}
}

// Whoever hangs while it holds the head keeps nobody from writing.
func TestNobodyWaitsForSomebodyElsesNumbers_D80(t *testing.T) {
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

// Many write at once, what they write is not always new, and partitions come and go.
func TestNumbersHaveNoGapWhoeverWrites_D80(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	shared, admin := []access.Call{aPing(), aPing(), aPing()}, r.db.AdminPool(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 25 {
				own := &register{AccessRecorder: postgres.NewAccessRecorder(r.Pool, prometheus.NewRegistry(), r.Log)}
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
	mustExec(t, admin, `CREATE TABLE access_record_later PARTITION OF access_record FOR VALUES FROM ('a0000000-0000-0000-0000-000000000000') TO ('b0000000-0000-0000-0000-000000000000')`)
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
	if !strings.Contains(text(err), "permission denied") {
		t.Errorf("a table of its own numbers its lines: %v", err)
	}
}

// What the release before has written is numbered in front of what comes meanwhile.
func TestLinesOfBeforeAreNumberedFirst_D80(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	recreateUpTo(t, r.db, "0029")
	r.Pool.Reset()
	var want []uuid.UUID
	add := func() {
		t.Helper()
		want = append(want, event.NewID())
		if _, err := r.Pool.Exec(t.Context(), earlier.record, want[len(want)-1], uuid.New()); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		add()
	}
	if _, err := postgres.Migrate(t.Context(), r.db.AdminURL); err != nil {
		t.Fatal(err)
	}
	add()
	r.wantNumbered(t)
	for _, most := range []string{"0", "NULL", "-1"} { // whoever serves may ask for anything
		if _, err := r.Pool.Exec(t.Context(), `SELECT number_calls(`+most+`)`); err != nil {
			t.Errorf("%s at once: %v", most, err)
		}
	}
	r.number(t)
	add()
	r.wantNumbered(t, want...)
}

// What is in trees is not moved into boxes any more.
func TestNothingIsSealedOnceThereAreTrees_D80(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	call := aCall()
	r.Record(call)
	r.runOnce(t)
	admin := r.db.AdminPool(t)
	mustExec(t, admin, `UPDATE sealing SET finished_at = NULL`)
	seal := func() error {
		_, err := admin.Exec(t.Context(), `SELECT seal_calls(ARRAY[$1::uuid], '{"{}"}', ARRAY['\x01'::bytea])`, call.RequestID)
		return err
	}
	mustExec(t, admin, `INSERT INTO trees (tenant, kind, size) VALUES ('', 2, 0)`)
	if err := seal(); !strings.Contains(text(err), "append-only") {
		t.Errorf("with trees: %v", err)
	}
	mustExec(t, admin, `DELETE FROM trees`)
	if err := seal(); err != nil {
		t.Errorf("without: %v", err)
	}
}
