package eventstore_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// rewind makes the database look like a promoted standby that had received the log up
// to an idx, and only some of the events behind it, which no sequencer had placed.
func rewind(t testing.TB, db *postgrestest.Database, head int64, survivors int) {
	t.Helper()
	_, err := db.SuperuserPool(t).Exec(t.Context(), fmt.Sprintf(`
		SET session_replication_role = replica; -- no trigger keeps what is to be lost
		DELETE FROM events WHERE position > (SELECT coalesce(max(position), 0) FROM log WHERE idx <= %[1]d) + %[2]d;
		DELETE FROM log WHERE idx > %[1]d;
		UPDATE sequencer SET head = %[1]d, reached = (SELECT coalesce(max(position), 0) FROM log), gaps = '{}', timeline = timeline - 1;
		RESET session_replication_role`, head, survivors))
	if err != nil {
		t.Fatal(err)
	}
}

// epochsOf returns the epochs that a log begins, by their idx.
func epochsOf(log []event.Recorded) map[int64]epoch.Begun {
	begun := map[int64]epoch.Begun{}
	for _, e := range log {
		if b, ok := e.Event.(epoch.Begun); ok {
			b.Reason = ""
			begun[e.Idx] = b
		}
	}
	return begun
}

func (e *engine) wantEpochs(t testing.TB, want map[int64]epoch.Begun) {
	t.Helper()
	log := e.Logged(t)
	wantCausal(t, log)
	if diff := cmp.Diff(want, epochsOf(log)); diff != "" {
		t.Error(diff)
	}
}

// unsentUpTo is the idx up to which nothing is sent any longer.
func (e *engine) unsentUpTo(t testing.TB) (idx int64) {
	t.Helper()
	if err := e.Pool.QueryRow(t.Context(), `SELECT untold FROM history`).Scan(&idx); err != nil {
		t.Fatal(err)
	}
	return idx
}

func TestFirstEpochHasNoEvent_D49(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.AppendMany(t, 3)
	e.Drain(t)
	if e.wantEpochs(t, map[int64]epoch.Begun{}); e.unsentUpTo(t) != 0 {
		t.Errorf("nothing is sent up to idx %d", e.unsentUpTo(t))
	}
}

func TestAPromotedStandbyBeginsAnEpoch_D49(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.AppendMany(t, 10)
	e.Drain(t)
	rewind(t, db, 6, 2) // two of the four lost ones survive without an idx
	e.AppendMany(t, 3)
	operator := event.Metadata{Actor: event.Actor{Kind: event.ByOperator, ID: "anna"}} // the first to append, by chance
	if err := e.Sequencer().Drain(event.WithMetadata(t.Context(), operator)); err != nil {
		t.Fatal(err)
	}
	e.AppendMany(t, 1)
	e.Drain(t)
	e.wantEpochs(t, map[int64]epoch.Begun{7: {Epoch: 2, Cause: epoch.Timeline, LastKnown: 6}})
	if got := e.unsentUpTo(t); got != 12 { // the event, both survivors, and the append before the epoch began
		t.Errorf("nothing is sent up to idx %d, want 12", got)
	}
	log := e.Logged(t)
	if len(log) != 13 || log[6].Metadata.Actor.Kind != event.ByService {
		t.Errorf("%d events are in the log, want 13; the epoch was begun by %s", len(log), log[6].Metadata.Actor)
	}
}

func TestEarlierProcessNamesTheLoss_D49(t *testing.T) {
	t.Parallel()
	for name, durability := range map[string]postgres.Durability{"": postgres.Asynchronous, "though synchronous": postgres.Synchronous} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.New(t)
			e := engineOn(t, db.URL)
			s := e.Sequencer()
			s.Durability = durability
			enginetest.RunUntilCleanup(t, s.Run)
			e.AppendMany(t, 10)
			clocktest.Eventually(t, func() bool { return len(e.Logged(t)) == 10 }, "all are placed")
			rewind(t, db, 6, 0)
			clocktest.Eventually(t, func() bool { return len(epochsOf(e.Logged(t))) > 0 }, "an epoch begins without an append")
			e.wantEpochs(t, map[int64]epoch.Begun{7: {Epoch: 2, Cause: epoch.Timeline, LastKnown: 6, Missing: new(int64(4))}})
			if e.unsentUpTo(t) != 7 {
				t.Errorf("nothing is sent up to idx %d, want 7", e.unsentUpTo(t))
			}
		})
	}
}

// A process that has just started has seen none of the lost events, even if it first reads
// the row of the earlier history.
func TestNewProcessRemembersNothing_D49(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.AppendMany(t, 10)
	e.Drain(t)
	rewind(t, db, 6, 0)
	s := e.Sequencer()
	s.Durability = postgres.Synchronous
	enginetest.RunUntilCleanup(t, s.Run)
	clocktest.Eventually(t, func() bool { return len(epochsOf(e.Logged(t))) > 0 }, "an epoch begins")
	e.wantEpochs(t, map[int64]epoch.Begun{7: {Epoch: 2, Cause: epoch.Timeline, LastKnown: 6}})
	if e.unsentUpTo(t) != 7 {
		t.Errorf("nothing is sent up to idx %d, want 7", e.unsentUpTo(t))
	}
}

func TestCompleteStandbyKeepsSending_D49(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	s := e.Sequencer()
	s.Durability = postgres.Synchronous
	e.AppendMany(t, 10)
	if err := s.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	rewind(t, db, 10, 0)
	e.AppendMany(t, 1)
	if err := s.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.wantEpochs(t, map[int64]epoch.Begun{11: {Epoch: 2, Cause: epoch.Timeline, LastKnown: 10, Missing: new(int64(0))}})
	if e.unsentUpTo(t) != 0 {
		t.Errorf("nothing is sent up to idx %d", e.unsentUpTo(t))
	}
}

func TestRacingProcessesBeginOneEpoch_D49(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.AppendMany(t, 10)
	e.Drain(t)
	for n := range 5 {
		rewind(t, db, int64(10+n), 0)
		var stop []func()
		for range 4 {
			stop = append(stop, enginetest.RunUntilCleanup(t, e.Sequencer().Run))
		}
		clocktest.Eventually(t, func() bool { return len(epochsOf(e.Logged(t))) > n }, "an epoch begins")
		for _, stop := range stop {
			stop()
		}
	}
	log := e.Logged(t)
	if wantCausal(t, log); len(log) != 15 {
		t.Errorf("%d events are in the log, want the ten and five that begin an epoch: %v", len(log), epochsOf(log))
	}
}

// The broadcast wakes all who read the log, and would stay silent until the log has come as
// far as it had been.
func TestLostEndOfLogIsBroadcast(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.sequence(t)
	e.AppendMany(t, 20)
	clocktest.Eventually(t, func() bool { return len(e.Logged(t)) == 20 }, "all are placed")
	rewind(t, db, 5, 0)
	grown := e.Grown.Next()
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1})
	clocktest.Eventually(t, func() bool {
		select {
		case <-grown:
			return true
		default:
			return false
		}
	}, "the broadcast wakes readers")
}

func TestDurableCommitsWaitForTheDisk(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t) // the cluster has synchronous_commit off
	admin := db.AdminPool(t)
	_, err := admin.Exec(t.Context(), `
		CREATE TABLE waited (by text, how text);
		CREATE FUNCTION note_wait() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
			INSERT INTO waited VALUES (TG_TABLE_NAME, current_setting('synchronous_commit')); RETURN NULL; END $$;
		CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON events INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_wait();
		CREATE CONSTRAINT TRIGGER waits AFTER UPDATE ON sequencer INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_wait()`)
	if err != nil {
		t.Fatal(err)
	}
	for set, want := range map[string]string{"off": "on", "local": "on", "remote_apply": "remote_apply"} {
		e := engineOn(t, db.URL+"&options=-csynchronous_commit%3D"+set)
		e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1})
		e.Drain(t)
		enginetest.Execute(t, enginetest.As(t, db.URL, postgres.AuditRole)+"&options=-csynchronous_commit%3D"+set, noteReading)
		var how []string
		if err := admin.QueryRow(t.Context(), `SELECT array_agg(DISTINCT by || ' ' || how ORDER BY by || ' ' || how) FROM waited`).Scan(&how); err != nil {
			t.Fatal(err)
		}
		if wanted := []string{"events " + want, "sequencer " + want}; !slices.Equal(how, wanted) {
			t.Errorf("set to %s: %v, want %v", set, how, wanted)
		}
		if _, err := admin.Exec(t.Context(), `TRUNCATE waited`); err != nil {
			t.Fatal(err)
		}
	}
}

const noteReading = `SELECT record_audit_query(gen_random_uuid(), '', 'ann', 'audit log', '{}', NULL, true, 1)`
