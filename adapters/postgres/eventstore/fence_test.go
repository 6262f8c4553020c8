package eventstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
)

// erase enters erasures, as the eraser does.
func erase(t *testing.T, db *pgxpool.Pool, kind event.HolderKind, holders ...uuid.UUID) {
	t.Helper()
	_, err := db.Exec(t.Context(), `INSERT INTO erasures (tenant, kind, holder, erased_at, erasure, stream, version, fingerprint) SELECT 'elm-street', $1, h, now(), gen_random_uuid(), h, 2, '' FROM unnest($2::uuid[]) h`, int16(kind), holders)
	if err != nil {
		t.Fatal(err)
	}
}

func wantErased(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("%s: %v, want %v", what, err, patient.ErrUnknown)
	}
}

func TestFenceRefusesErasedPersons_D70(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e, ann, other := engineOn(t, db.URL), uuid.New(), enginetest.NewStream()
	known, request := enginetest.NewStream(), enginetest.NewStream()
	e.Append(t, known, 0, eventtest.Marked{Patient: ann})
	e.Append(t, request, 0, eventtest.Counted{N: 1})
	erase(t, db.SuperuserPool(t), event.OfPatient, ann)
	erase(t, db.SuperuserPool(t), event.OfRequest, request.ID)
	for what, change := range map[string]event.Change{
		"a new stream":            {Stream: enginetest.NewStream(), Events: []event.Event{eventtest.Marked{Patient: ann}}},
		"a known stream":          {Stream: known, Expected: 1, Events: []event.Event{eventtest.Marked{Patient: ann}}},
		"with another's event":    {Stream: enginetest.NewStream(), Events: []event.Event{eventtest.Counted{}, eventtest.Marked{Patient: ann}}},
		"the stream of a request": {Stream: request, Expected: 1, Events: []event.Event{eventtest.Counted{}}},
	} {
		wantErased(t, what, enginetest.Second(e.Store.Append(t.Context(), change)))
	}
	e.Append(t, other, 0, eventtest.Marked{Patient: uuid.New()}, eventtest.Marked{}, eventtest.Counted{})
	e.Append(t, known, 1, eventtest.Counted{})
	elsewhere := event.Stream{Tenant: "oak-street", ID: uuid.New()}
	e.Append(t, elsewhere, 0, eventtest.Marked{Patient: ann}) // another practice's patient
}

func TestGroupRefusesOnlyTheErased_D70(t *testing.T) {
	t.Parallel()
	c, ann := newCrowd(t, ""), uuid.New()
	erase(t, c.super, event.OfPatient, ann)
	outcomes := c.join(t.Context(), t, "a", "b")
	erased := make(chan error, 1)
	go func() {
		erased <- enginetest.Second(c.Store.Append(t.Context(), event.Change{Stream: enginetest.NewStream(), Events: []event.Event{eventtest.Marked{Patient: ann, Mark: "erased"}}}))
	}()
	c.await(t, eventstore.Few+2+3, 3)
	c.letGo()
	wantErased(t, "the one in the group", <-erased)
	for n, outcome := range outcomes {
		if err := <-outcome; err != nil {
			t.Errorf("append %d: %v", n, err)
		}
	}
}

// An eraser waits for an append that has read and not committed, and an append that comes
// meanwhile reads after it.
func TestEraserWaitsForEarlierAppends_D70(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e, ann, super := engineOn(t, db.URL), uuid.New(), db.SuperuserPool(t)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Marked{Patient: ann})
	looked := e.begin(t)
	if _, err := looked.Exec(t.Context(), eventstore.AppendFirst, uuid.New(), "elm-street", uuid.New(), "test.noted.v1", ann, "{}", "{}", enginetest.Noon, nil, nil); err != nil {
		t.Fatal(err)
	}
	const lock = `LOCK TABLE erasures IN EXCLUSIVE MODE NOWAIT`
	if _, err := begin(t, super).Exec(t.Context(), lock); err == nil || !strings.Contains(err.Error(), "55P03") {
		t.Fatalf("the eraser has not waited: %v", err)
	}
	if err := looked.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	eraser := begin(t, super)
	if _, err := eraser.Exec(t.Context(), lock); err != nil {
		t.Fatal(err)
	}
	late := make(chan error, 1)
	go func() {
		late <- enginetest.Second(e.Store.Append(context.WithoutCancel(t.Context()), event.Change{Stream: enginetest.NewStream(), Events: []event.Event{eventtest.Marked{Patient: ann}}}))
	}()
	waitsFor(t, super, "erasures")
	if _, err := eraser.Exec(t.Context(), `INSERT INTO erasures VALUES ('elm-street', 1, $1, now(), gen_random_uuid(), $1, 2, '')`, ann); err != nil {
		t.Fatal(err)
	}
	if err := eraser.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantErased(t, "an append that came meanwhile", <-late)
}

// waitsFor waits until a session waits for the lock on a table.
func waitsFor(t *testing.T, db *pgxpool.Pool, table string) {
	t.Helper()
	clocktest.Eventually(t, func() (waits bool) {
		err := db.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE relation = $1::regclass AND NOT granted)`, table).Scan(&waits)
		return err == nil && waits
	}, "a session waits for %s", table)
}

// A practice that has left has many erasures. Its look goes by the key of the table, also
// in a plan that was made while the table was empty.
func TestTheFenceLooksByIndex_D70(t *testing.T) {
	t.Parallel()
	for _, analysed := range []bool{false, true} {
		conn, plans := explaining(t, postgrestest.New(t))
		do := func(sql string) {
			t.Helper()
			if _, err := conn.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
		stored := func() {
			do(`EXECUTE first (gen_random_uuid(), 'elm-street', gen_random_uuid(), 'a', gen_random_uuid(), '{}', '{}', now(), NULL, gen_random_uuid())`)
			do(`EXECUTE together (ARRAY[gen_random_uuid(), gen_random_uuid()], '{elm-street,elm-street}', ARRAY[gen_random_uuid(), gen_random_uuid()], '{1,1}', '{a,a}',
				ARRAY[gen_random_uuid(), NULL], '{"{}","{}"}', '{"{}","{}"}', ARRAY[now(), now()], ARRAY[NULL, NULL]::bytea[], ARRAY[gen_random_uuid(), NULL],
				ARRAY[gen_random_uuid(), NULL], '{NULL,NULL}', '{0,0}', '{f,f}')`)
		}
		do(`PREPARE first (uuid, text, uuid, text, uuid, text, text, timestamptz, bytea, uuid) AS ` + eventstore.AppendFirst)
		do(`PREPARE together AS ` + eventstore.AppendAll)
		for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
			do(`SET plan_cache_mode = ` + mode)
			stored()
		}
		do(`INSERT INTO erasures SELECT 'elm-street', 1 + n % 4, gen_random_uuid(), now(), gen_random_uuid(), gen_random_uuid(), 2, '' FROM generate_series(1, 20000) n`)
		if analysed {
			do(`ANALYZE erasures`)
		}
		for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
			do(`SET plan_cache_mode = ` + mode)
			plans.Reset()
			stored()
			got := plans.String()
			if strings.Contains(got, "Seq Scan on erasures") || strings.Count(got, "Index Cond: ((tenant = ") < 6 || strings.Contains(got, "hashed") {
				t.Errorf("analysed %v, %s:\n%s", analysed, mode, got)
			}
		}
	}
}
