package history_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
	"frontdesk/projections/history"
	"frontdesk/projections/projectionstest"
)

// However much is recorded, a page of one's own record reads only its rows.
func TestOwnRecordReadsOnlyItsRows_D156(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	me := staff.ID{UUID: event.NewID()}
	if _, err := db.AdminPool(t).Exec(t.Context(), `
		INSERT INTO sign_ins (tenant, staff, at, session, how) SELECT 'elm-street', CASE WHEN n % 10 = 0 THEN $1::uuid ELSE md5('staff' || n % 9)::uuid END, timestamptz '2026-01-01' + n * interval '1 minute', md5('session' || n)::uuid, 'password'
		FROM generate_series(1, 5000) n`, me); err != nil {
		t.Fatal(err)
	}
	if _, err := db.AdminPool(t).Exec(t.Context(), `
		INSERT INTO timeline (tenant, patient, idx, kind, entry, actor, at) SELECT 'elm-street', md5('patient' || n % 500)::uuid, n, 'record-opened', md5('entry' || n)::uuid,
			CASE WHEN n % 10 = 0 THEN 'staff:' || $1 ELSE 'staff:' || md5('staff' || n % 9)::uuid END, now() FROM generate_series(1, 20000) n`, me.String()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.AdminPool(t).Exec(t.Context(), `
		INSERT INTO access_record (request_id, at, tenant, application, mode, staff, endpoint, status, code, reason, act, token_hash)
		SELECT md5('line' || n)::uuid, now(), 'elm-street', $2, 'page', CASE WHEN n % 10 = 0 THEN $1::uuid ELSE md5('staff' || n % 9)::uuid END, 'requests', 200, '', '', '{"patients":["`+me.String()+`"]}', ''
		FROM generate_series(1, 20000) n`, me, uuid.Nil); err != nil {
		t.Fatal(err)
	}
	if _, err := db.AdminPool(t).Exec(t.Context(), `ANALYZE sign_ins, timeline, access_record`); err != nil {
		t.Fatal(err)
	}
	asked := &projectionstest.Explainer{Querier: db.Pool(t), T: t}
	own := history.Own{DB: asked}
	signIns, err := own.SignIns(t.Context(), projectionstest.Elm, me, time.Time{}, 50)
	if err != nil || len(signIns) != 50 || asked.Most > 51 {
		t.Fatalf("%d sign-ins, %d rows were read, %v", len(signIns), asked.Most, err)
	}
	if more, err := own.SignIns(t.Context(), projectionstest.Elm, me, signIns[49].At, 50); err != nil || !more[0].At.Before(signIns[49].At) {
		t.Errorf("the next sign-ins begin at %v, %v", more[0].At, err)
	}
	entries, err := own.Entries(t.Context(), projectionstest.Elm, me, 0, 50)
	if err != nil || len(entries) != 50 || asked.Most > 51 {
		t.Fatalf("%d entries, %d rows were read, %v", len(entries), asked.Most, err)
	}
	if more, err := own.Entries(t.Context(), projectionstest.Elm, me, entries[49].Idx, 50); err != nil || more[0].Idx >= entries[49].Idx {
		t.Errorf("the next entries begin at %d, %v", more[0].Idx, err)
	}
	lines, err := own.Lines(t.Context(), projectionstest.Elm, me, uuid.Nil, 50)
	if err != nil || len(lines) != 50 || lines[0].Patients != 1 || asked.Most > 51 {
		t.Fatalf("%d lines, %d rows were read, %v", len(lines), asked.Most, err)
	}
	if others, err := own.Lines(t.Context(), projectionstest.Oak, me, uuid.Nil, 50); err != nil || len(others) > 0 {
		t.Errorf("%d lines of another practice, %v", len(others), err)
	}
}
