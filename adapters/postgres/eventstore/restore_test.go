package eventstore_test

import (
	"bytes"
	"os/exec"
	"testing"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event/eventtest"
)

// Transaction ids begin again in another cluster, so nothing may depend on them. A copy
// begins an epoch, also one in the cluster that it was dumped from (D49).
func TestRestoreDumpIntoFreshCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long; make test runs it")
	}
	t.Parallel()
	db := postgrestest.New(t)
	old, recorder := engineOn(t, db.URL), newRecorder(t, db)
	old.sequence(t)
	stop := enginetest.RunUntilCleanup(t, old.consumer("recorder", recorder.handle).Run)
	old.AppendMany(t, 20)
	old.eventuallyHandled(t, idxUpTo(20))
	stop()
	old.AppendMany(t, 5) // sequenced or not, and not handled yet

	fresh := postgrestest.Cluster(t)
	if err := fresh.EnsureDatabase(t.Context(), "restored"); err != nil {
		t.Fatal(err)
	}
	restore(t, db.AdminURL, fresh.URL("restored", embedded.Superuser))

	e := engineOn(t, fresh.URL("restored", "frontdesk_app"))
	if err := postgres.CheckSchema(t.Context(), e.Pool); err != nil {
		t.Fatal(err)
	}
	e.sequence(t)
	enginetest.RunUntilCleanup(t, e.consumer("recorder", recorder.handle).Run)
	stream := enginetest.NewStream()
	e.Append(t, stream, 0, eventtest.Counted{N: 1})
	e.Append(t, stream, 1, eventtest.Counted{N: 2})
	e.eventuallyHandled(t, idxUpTo(28))
	wantCausal(t, e.Logged(t))

	if err := fresh.EnsureDatabase(t.Context(), "again"); err != nil {
		t.Fatal(err)
	}
	restore(t, fresh.URL("restored", embedded.Superuser), fresh.URL("again", embedded.Superuser))
	again := engineOn(t, fresh.URL("again", "frontdesk_app"))
	again.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 3})
	again.Drain(t)
	begun := epochsOf(again.Logged(t))
	if b := begun[29]; len(begun) != 2 || b.Epoch != 3 || b.Cause != epoch.Restore || b.LastKnown != 28 || b.Missing != nil {
		t.Errorf("two restores begin %+v", begun)
	}
}

func restore(t *testing.T, from, to string) {
	t.Helper()
	dump, err := exec.CommandContext(t.Context(), "pg_dump", "--dbname", from).Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	psql := exec.CommandContext(t.Context(), "psql", "--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--dbname", to)
	psql.Stdin = bytes.NewReader(dump)
	if output, err := psql.CombinedOutput(); err != nil {
		t.Fatalf("psql: %v\n%s", err, output)
	}
}

// Survivors may be many. None of them is sent, however many a batch holds.
func TestSurvivorsCountAsSent_D49(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.AppendMany(t, 20)
	e.Drain(t)
	rewind(t, db, 6, 9)
	s := e.Sequencer()
	s.Batch = 2
	if err := s.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := e.unsentUpTo(t); got != 16 {
		t.Errorf("nothing is sent up to idx %d, want 16", got)
	}
	e.wantAll(t)
}
