package eventstore_test

import (
	"context"
	"testing"
	"time"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/projections"
)

// startled is a projection that panics at one note.
type startled struct{ rowFor }

func (s startled) Project(r event.Recorded, do func(sql string, args ...any)) {
	if noted, ok := r.Event.(eventtest.Noted); ok && noted.Note == "boo" {
		panic("boo")
	}
	s.rowFor.Project(r, do)
}

// A panic is its own caller's. On the goroutine of a group, it would be the end of all.
func TestAPanicIsItsOwnCallers_D60(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, "")
	c.Store.AtOnce = []projections.Projection{startled{}}
	calm := c.join(t.Context(), t, "calm")
	panicked := make(chan any, 1)
	go func() {
		defer func() { panicked <- recover() }()
		_, _ = c.note(t.Context(), "boo")
	}()
	if <-panicked != "boo" {
		t.Error("the caller does not panic")
	}
	c.await(t, eventstore.Few+3, 1)
	c.letGo()
	if err := <-calm[0]; err != nil {
		t.Error(err)
	}
}

// Two appends that wait for a locked row hold both places of groups. An append behind them
// commits alone after a while.
func TestTwoThatAreStuckDoNotStopAllOthers_D60(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	c := &crowd{engine: engineOn(t, db.URL+"&pool_max_conns=24"), super: db.SuperuserPool(t)}
	c.must(t, `CREATE SCHEMA test; GRANT USAGE ON SCHEMA test TO frontdesk_app;
		CREATE TABLE test.notes (note text CONSTRAINT staff_username UNIQUE); GRANT ALL ON test.notes TO frontdesk_app`)
	c.Store.AtOnce = []projections.Projection{rowFor{}}
	blocker, err := c.super.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := blocker.Exec(t.Context(), `INSERT INTO test.notes VALUES ('wanted')`); err != nil {
		t.Fatal(err)
	}
	for range eventstore.Few + 2 {
		c.ahead.Go(func() { _, _ = c.note(t.Context(), "wanted") })
	}
	c.await(t, eventstore.Few+2, 0)
	t.Cleanup(c.ahead.Wait)
	t.Cleanup(func() { _ = blocker.Rollback(context.WithoutCancel(t.Context())) })
	free := make(chan error, 1)
	go func() { free <- enginetest.Second(c.note(t.Context(), "free")) }()
	select {
	case err := <-free:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(2 * time.Minute):
		t.Error("an append that nothing blocks is not made")
	}
}
