package eventstore_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event/eventtest"
)

// A holder of the serving role's password can add events, but cannot hide one, nor choose
// its place in the log.
func TestTheServingRoleForgesNoPlaceInTheLog_D52(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.AppendMany(t, 3)
	e.Drain(t)
	before := e.watching(t)
	const insert = `INSERT INTO events (position, id, tenant, stream, version, name, data, metadata, recorded_at) OVERRIDING SYSTEM VALUE
		VALUES (1000, gen_random_uuid(), 'e', gen_random_uuid(), 1, 'test.counted.v1', '{}', '{}', now())`
	for _, forged := range []string{
		`UPDATE sequencer SET reached = 1000000000000`,
		`SELECT FROM sequencer FOR UPDATE`,
		`DELETE FROM sequencer`, `INSERT INTO sequencer DEFAULT VALUES`,
		`INSERT INTO log (idx, position) VALUES (4, 4)`,
		`INSERT INTO old_gaps VALUES (5, 6)`, `DELETE FROM old_gaps`,
		insert,
		`COPY events (position) FROM STDIN`,
		`SELECT nextval('events_position_seq')`, `SELECT setval('events_position_seq', 1)`, `ALTER SEQUENCE events_position_seq CACHE 20`,
		`SELECT place_old_events(1000)`, `SELECT note_writers()`, `SELECT mend_sequence()`,
	} {
		_, err := e.Pool.Exec(t.Context(), forged)
		if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != "42501" {
			t.Errorf("%s: %v", forged, err)
		}
	}
	if after := e.watching(t); after != before {
		t.Errorf("the sequencer's row was %s, is %s", before, after)
	}
}

// No argument of the functions changes the course of the log.
func TestTheSequencersFunctionsBelieveNoLies_D52(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.AppendMany(t, 3)
	for _, lie := range []string{
		`SELECT sequence_events(0, true)`, `SELECT sequence_events(NULL, NULL)`, `SELECT sequence_events(1, true)`, `SELECT sequence_events(-1, true)`,
		`SELECT sequence_events(2147483647, false)`,
	} {
		_, _ = e.Pool.Exec(t.Context(), lie)
	}
	e.AppendMany(t, 3)
	e.wantAll(t)

	// An epoch begins when the database is in another history, and as it is.
	begin := func(event string) error {
		_, err := e.Pool.Exec(t.Context(), `WITH forged AS (
			INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
			VALUES (gen_random_uuid(), '', $1, 1, 'log.epoch-begun.v1', $2, '{}', now()))
			SELECT 1`, epoch.StreamOf().ID, event)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Pool.Exec(t.Context(), `SELECT begin_epoch($1, 1, 1000, true)`, epoch.StreamOf().ID)
		return err
	}
	if err := begin(`{"epoch":2,"cause":"timeline","lastKnown":6,"missing":0}`); !strings.Contains(enginetest.Text(err), "another process has begun") {
		t.Errorf("an epoch without a cause: %v", err)
	}
	e.Drain(t)
	for _, lie := range []string{
		`{"epoch":2,"cause":"timeline","lastKnown":3}`, `{"epoch":2,"cause":"restore","lastKnown":5}`, `{"epoch":1,"cause":"timeline","lastKnown":5}`,
	} {
		other := postgrestest.New(t)
		e = engineOn(t, other.URL)
		e.AppendMany(t, 5)
		e.Drain(t)
		rewind(t, other, 5, 0)
		if err := begin(lie); !strings.Contains(enginetest.Text(err), "no such event") {
			t.Errorf("%s: %v", lie, err)
		}
	}
}

// Later events would be given positions that the sequencer has passed.
func TestFaultySequenceIsRefusedAndFixed_D52(t *testing.T) {
	t.Parallel()
	for fault, sql := range map[string]string{
		"is behind the log":               `SELECT setval('events_position_seq', 2)`,
		"is cached":                       `ALTER SEQUENCE events_position_seq CACHE 20`,
		"does not count by one":           `ALTER SEQUENCE events_position_seq INCREMENT BY 2`,
		"begins again at its end":         `ALTER SEQUENCE events_position_seq CYCLE`,
		"is behind the log and is cached": `ALTER SEQUENCE events_position_seq CACHE 5 RESTART WITH 3`,
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.New(t)
			e := engineOn(t, db.URL)
			e.refused(t, 6)
			e.Drain(t)
			enginetest.Execute(t, db.AdminURL, sql)
			want := "the sequence of positions " + fault + ": as the owner, SELECT mend_sequence()"
			if err := postgres.CheckSequence(t.Context(), e.Pool); enginetest.Text(err) != want {
				t.Errorf("it is checked: %v", err)
			}
			e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1}) // answered
			if err := e.Sequencer().Drain(t.Context()); err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("it is used: %v", err)
			}
			enginetest.Execute(t, db.AdminURL, `SELECT mend_sequence()`)
			if err := postgres.CheckSequence(t.Context(), e.Pool); err != nil {
				t.Error(err)
			}
			e.AppendMany(t, 3)
			e.wantAll(t)
		})
	}
}

// A faulty sequence does not recover with the next append, so an append does not wake a
// failing sequencer, which would log a warning each time.
func TestAppendsDoNotWakeASequencerThatFails(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e, said := engineOn(t, db.URL), &lines{}
	enginetest.Execute(t, db.AdminURL, `ALTER SEQUENCE events_position_seq CACHE 20`)
	s := e.Sequencer()
	s.Log, s.Pace, s.Idle = slog.New(slog.NewTextHandler(said, nil)), time.Hour, time.Hour
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1})
	stop := enginetest.RunUntilCleanup(t, s.Run)
	clocktest.Eventually(t, func() bool { return said.contain("sequencing failed") }, "the sequencer fails")
	e.AppendMany(t, 100)
	stop()
	if n := strings.Count(said.text.String(), "sequencing failed"); n != 1 {
		t.Errorf("it is said %d times that sequencing fails, want once in an hour", n)
	}
}

// An event of an epoch that the log is not in moves no reader back, and an unreadable one
// stops none.
func TestTheServingRoleForgesNoEpoch_D49(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.AppendMany(t, 3)
	for n, data := range []string{`{"epoch":2,"cause":"restore","lastKnown":0,"reason":""}`, `{"epoch":`, `x`} {
		_, err := e.Pool.Exec(t.Context(), `INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
			VALUES (gen_random_uuid(), '', $1, $2, 'log.epoch-begun.v1', $3, '{}', now())`, epoch.StreamOf().ID, n+1, data)
		if err != nil {
			t.Fatal(err)
		}
	}
	e.Drain(t)
	log := eventstore.Log{DB: postgres.On(e.Pool)}
	head, err := log.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if now, lastKnown, err := log.Epoch(t.Context(), 1); err != nil || now != 1 || lastKnown != head {
		t.Errorf("the log is in epoch %d, the same up to %d, %v; want 1 and %d", now, lastKnown, err, head)
	}
}
