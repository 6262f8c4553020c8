package eventstore_test

import (
	"testing"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/epoch"
)

// Settings of the database or of a role change no guarantee.
func TestOddDefaultsOfTheDatabaseBreakNothing_D52(t *testing.T) {
	t.Parallel()
	for isolation, mode := range map[string]string{"repeatable read": "cache_statement", "serializable": "cache_describe"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.New(t)
			db.Odd(t, isolation)
			e, recorder := engineOn(t, db.URL+"&default_query_exec_mode="+mode), newRecorder(t, db)
			e.sequence(t)
			e.sequence(t)
			enginetest.RunUntilCleanup(t, e.consumer("recorder", recorder.handle).Run)
			ids := e.writers(t, 8, 30)
			e.refused(t, 5)
			e.Drain(t)
			clocktest.Eventually(t, func() bool { return len(e.gaps(t)) == 0 }, "gaps are closed")
			e.eventuallyHandled(t, idxUpTo(int64(len(ids)+5)))
			e.wantAll(t)
		})
	}
}

func TestEpochBeginsUnderAnyDefaults_D52(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	db.Odd(t, "repeatable read")
	e := engineOn(t, db.URL)
	e.AppendMany(t, 10)
	e.Drain(t)
	rewind(t, db, 6, 2)
	e.Drain(t)
	e.wantEpochs(t, map[int64]epoch.Begun{7: {Epoch: 2, Cause: epoch.Timeline, LastKnown: 6}})
}
