package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/fault"
	"frontdesk/projections"
)

// crowd is a store at which many append at once, and nothing is stored until it is let go.
type crowd struct {
	*engine
	super   *pgxpool.Pool
	ahead   sync.WaitGroup     // appends that commit alone, the first two of them in the place of groups
	abandon context.CancelFunc // ends those two without storing them
	letGo   func()
}

func newCrowd(t *testing.T, options string, furnish ...func(*engine)) *crowd {
	t.Helper()
	db := postgrestest.New(t)
	c := &crowd{engine: engineOn(t, db.URL+"&pool_max_conns=24"+options), super: db.SuperuserPool(t)}
	c.must(t, `CREATE SCHEMA test; GRANT USAGE ON SCHEMA test TO frontdesk_app;
		CREATE TABLE test.notes (note text CONSTRAINT staff_username UNIQUE,
			settings text DEFAULT current_setting('synchronous_commit') || ', ' || current_setting('transaction_isolation'), writer text DEFAULT pg_current_xact_id()::text);
		GRANT ALL ON test.notes TO frontdesk_app`)
	c.Store.AtOnce = []projections.Projection{rowFor{}}
	eventstore.WaitAtMost(c.Store, time.Minute) // a slow machine changes no group
	for _, do := range furnish {
		do(c.engine)
	}
	c.hold(t)
	var abandoned context.Context
	abandoned, c.abandon = context.WithCancel(context.WithoutCancel(t.Context()))
	for range eventstore.Few {
		c.ahead.Go(func() { _, _ = c.note(t.Context(), fmt.Sprint("ahead ", enginetest.NewStream().ID)) })
	}
	c.await(t, eventstore.Few, 0)
	for range 2 {
		c.ahead.Go(func() { _, _ = c.note(abandoned, fmt.Sprint("lands ", enginetest.NewStream().ID)) })
	}
	c.await(t, eventstore.Few+2, 0)
	t.Cleanup(func() { c.letGo(); c.abandon(); c.ahead.Wait() })
	return c
}

func (c *crowd) must(t *testing.T, sql string) {
	t.Helper()
	if _, err := c.super.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// hold blocks all appends.
func (c *crowd) hold(t *testing.T) {
	t.Helper()
	tx, err := c.super.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `LOCK TABLE events IN SHARE MODE`); err != nil {
		t.Fatal(err)
	}
	c.letGo = sync.OnceFunc(func() { _ = tx.Commit(context.WithoutCancel(t.Context())) })
}

// await waits for a number of appends under way, and for a number of them that wait for a
// group.
func (c *crowd) await(t *testing.T, here, waiting int) {
	t.Helper()
	clocktest.Eventually(t, func() bool {
		nowHere, nowWaiting := eventstore.Crowd(c.Store)
		return nowHere == here && nowWaiting == waiting
	}, "the appends have come")
}

func (c *crowd) note(ctx context.Context, note string) ([]event.Recorded, error) {
	return c.Store.Append(ctx, event.Change{Stream: enginetest.NewStream(), Events: []event.Event{eventtest.Noted{Note: note}}})
}

// join lets appends of one note each come, one after the other, to wait for one group.
func (c *crowd) join(ctx context.Context, t *testing.T, notes ...string) (outcomes []chan error) {
	t.Helper()
	for n, note := range notes {
		outcome := make(chan error, 1)
		go func() { outcome <- enginetest.Second(c.note(ctx, note)) }()
		outcomes = append(outcomes, outcome)
		c.await(t, eventstore.Few+2+n+1, n+1)
	}
	return outcomes
}

// transactions is how many have written notes that begin so.
func (c *crowd) transactions(t *testing.T, notes string) (n int) {
	t.Helper()
	if err := c.super.QueryRow(t.Context(), `SELECT count(DISTINCT writer) FROM test.notes WHERE note LIKE $1`, notes+"%").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestWaitingAppendsShareTransaction_D60(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"cache_statement", "cache_describe"} {
		c := newCrowd(t, "&default_query_exec_mode="+mode)
		c.must(t, `ALTER ROLE frontdesk_app IN DATABASE `+c.Pool.Config().ConnConfig.Database+` SET synchronous_commit = off`)
		outcomes := c.join(t.Context(), t, "one", "two", "three")
		c.letGo()
		for _, outcome := range outcomes {
			if err := <-outcome; err != nil {
				t.Error(err)
			}
		}
		c.ahead.Wait()
		var settings, writers string
		err := c.super.QueryRow(t.Context(), `SELECT string_agg(DISTINCT settings, '; '), count(DISTINCT writer)::text FROM test.notes
			WHERE note IN ('one', 'two', 'three')`).Scan(&settings, &writers)
		if err != nil || settings != "on, read committed" || writers != "1" {
			t.Errorf("%s: %s transactions with %s, %v; want one that is durable and READ COMMITTED", mode, writers, settings, err)
		}
		c.Drain(t)
		wantCausal(t, c.Logged(t))
	}
}

// The two that clash, and the one whose note is taken, would fail the whole group.
func TestARefusedGroupFallsApart_D60(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, "")
	c.must(t, `INSERT INTO test.notes (note) VALUES ('taken')`)
	outcomes := c.join(t.Context(), t, "a", "clash", "taken", "b", "clash", "c")
	c.letGo()
	var refused []int
	for n, outcome := range outcomes {
		err := <-outcome
		if judged, is := errors.AsType[*fault.Error](err); is && judged.Code == "username-taken" {
			refused = append(refused, n)
		} else if err != nil {
			t.Errorf("append %d: %v", n, err)
		}
	}
	if got := fmt.Sprint(refused); got != "[2 4]" && got != "[1 2]" {
		t.Errorf("appends %s are refused, want the one that is taken and one of those that clash", got)
	}
	c.ahead.Wait()
	if events, want := c.count(t, "events"), eventstore.Few+2+4; events != want {
		t.Errorf("%d events are stored, want %d", events, want)
	}
	if n := c.transactions(t, ""); n != eventstore.Few+2+4+1 {
		t.Errorf("%d transactions, want one for each", n)
	}
}

// When its connection breaks, the store cannot know whether a group is stored, so it sends
// nothing again: the test does know.
func TestABrokenGroupIsNotSentAgain_D60(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, "")
	outcomes := c.join(t.Context(), t, "broken one", "broken two")
	c.abandon()
	c.kill(t)
	for _, outcome := range outcomes {
		if err := <-outcome; !errors.Is(err, postgres.ErrUnavailable) {
			t.Errorf("append: %v, want %v", err, postgres.ErrUnavailable)
		}
	}
	c.letGo()
	c.ahead.Wait()
	if n := c.transactions(t, "broken"); n != 0 {
		t.Error("the group was sent again")
	}
}

// kill ends the connection of the one group that is under way.
func (c *crowd) kill(t *testing.T) {
	t.Helper()
	clocktest.Eventually(t, func() bool {
		var ended int
		err := c.super.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND query LIKE '%unnest($1::uuid[]%' AND state = 'active' AND pid <> pg_backend_pid()`).Scan(&ended)
		return err == nil && ended > 0
	}, "the group is under way, and its connection is ended")
}

// One is cancelled while it waits, and is not stored. One is cancelled when its group is
// under way, and returns at once, and the others are stored. Closing waits for the group.
func TestCancelledAppendLeavesItsGroup_D60(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, "")
	stay, leaving := t.Context(), make([]context.CancelFunc, 2)
	contexts := make([]context.Context, 2)
	for n := range leaving {
		contexts[n], leaving[n] = context.WithCancel(stay)
	}
	early, late := make(chan error, 1), make(chan error, 1)
	go func() { early <- enginetest.Second(c.note(contexts[0], "early")) }()
	c.await(t, eventstore.Few+3, 1)
	leaving[0]()
	wantCancelled(t, <-early)
	c.await(t, eventstore.Few+2, 0)

	stayed := c.join(stay, t, "stays")
	go func() { late <- enginetest.Second(c.note(contexts[1], "late")) }()
	c.await(t, eventstore.Few+4, 2)
	c.abandon()
	c.await(t, eventstore.Few+2, 0) // both have set off
	leaving[1]()
	wantCancelled(t, <-late)

	closed := make(chan struct{})
	go func() { c.Store.Close(); close(closed) }()
	select {
	case <-closed:
		t.Error("closing has not waited for the group")
	case <-time.After(20 * time.Millisecond):
	}
	c.letGo()
	<-closed
	if err := <-stayed[0]; err != nil {
		t.Error(err)
	}
	if n := c.transactions(t, "stays") + 10*c.transactions(t, "early") + 100*c.transactions(t, "late"); n != 101 {
		t.Errorf("%d: want the one who stayed and the one who left late to be stored", n)
	}
}

func wantCancelled(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "unavailable") {
		t.Errorf("append: %v, want that its caller has gone", err)
	}
}

// count appends an event without rows of its own to a stream.
func (c *crowd) counted(ctx context.Context, stream event.Stream, expected int) error {
	return enginetest.Second(c.Store.Append(ctx, event.Change{Stream: stream, Expected: expected, Events: []event.Event{eventtest.Counted{N: 1}}}))
}

// known returns streams of two events each.
func known(t *testing.T, n int) (streams []event.Stream, furnish func(*engine)) {
	t.Helper()
	for range n {
		streams = append(streams, enginetest.NewStream())
	}
	return streams, func(e *engine) {
		for _, s := range streams {
			e.Append(t, s, 0, eventtest.Counted{N: 1}, eventtest.Counted{N: 2})
		}
	}
}

// An append that has lost its stream gets a conflict and keeps none of the others from being
// stored: it is left out, or the group is sent again without it where its rows are queued.
func TestLosersAreLeftOutOfTheirGroup_D130(t *testing.T) {
	t.Parallel()
	streams, furnish := known(t, 4)
	c := newCrowd(t, "", furnish)
	appends := []struct {
		do   func() error
		lost bool
	}{
		{func() error { return enginetest.Second(c.note(t.Context(), "new one")) }, false},
		{func() error { return c.counted(t.Context(), streams[0], 2) }, false},
		{func() error { return c.counted(t.Context(), streams[1], 1) }, true},
		{func() error { return c.counted(t.Context(), streams[1], 7) }, true}, // behind the one before, or by its hole
		{func() error {
			return enginetest.Second(c.Store.Append(t.Context(), event.Change{Stream: streams[2], Expected: 1, Events: []event.Event{eventtest.Noted{Note: "late"}}}))
		}, true},
		{func() error {
			return enginetest.Second(c.Store.Append(t.Context(), event.Change{Stream: streams[3], Expected: 2, Events: []event.Event{eventtest.Noted{Note: "new two"}}},
				event.Change{Stream: enginetest.NewStream(), Events: []event.Event{eventtest.Counted{}, eventtest.Counted{}}}))
		}, false},
	}
	outcomes, waiting := make([]chan error, len(appends)), 0
	for n, a := range appends {
		outcomes[n] = make(chan error, 1)
		go func() { outcomes[n] <- a.do() }()
		if n != 3 { // whose stream is claimed
			waiting++
		}
		c.await(t, eventstore.Few+2+n+1, waiting)
	}
	c.letGo()
	for n, a := range appends {
		if err := <-outcomes[n]; errors.Is(err, event.ErrConflict) != a.lost || !a.lost && err != nil {
			t.Errorf("append %d: %v, want a conflict: %v", n, err, a.lost)
		}
	}
	c.ahead.Wait()
	if n := c.transactions(t, "new "); n != 1 {
		t.Errorf("those who have not lost are stored in %d transactions, want 1", n)
	}
	if n := c.transactions(t, "late"); n != 0 {
		t.Error("a row of an append that has lost is stored")
	}
	for n, want := range []int{3, 2, 2, 3} {
		if got, err := c.Store.Load(t.Context(), streams[n]); err != nil || len(got) != want {
			t.Errorf("stream %d has %d events, want %d (%v)", n, len(got), want, err)
		}
	}
	if got := eventstore.Grouped(c.Store); !strings.Contains(got, "1 groups of 3 appends stored; ") || !strings.Contains(got, " 2 appends conflict; ") {
		t.Errorf("counted %s", got)
	}
	c.Drain(t)
	wantCausal(t, c.Logged(t))
}

// Of two appends to one stream the second learns from the first that it has lost.
func TestAnAppendBehindAnother_D130(t *testing.T) {
	t.Parallel()
	streams, furnish := known(t, 1)
	c := newCrowd(t, "", furnish)
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- c.counted(t.Context(), streams[0], 2) }()
	c.await(t, eventstore.Few+3, 1)
	go func() { second <- c.counted(t.Context(), streams[0], 2) }()
	c.await(t, eventstore.Few+4, 1)
	c.letGo()
	if err := <-first; err != nil {
		t.Error(err)
	}
	if err := <-second; !errors.Is(err, event.ErrConflict) {
		t.Errorf("the second: %v, want a conflict", err)
	}
}

// Appends that have waited too long for a group commit alone.
func TestImpatientAppendsCommitAlone_D60(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, "")
	eventstore.WaitAtMost(c.Store, time.Millisecond)
	outcomes := make(chan error, 2)
	for _, note := range []string{"late one", "late two"} {
		go func() { outcomes <- enginetest.Second(c.note(t.Context(), note)) }()
	}
	c.await(t, eventstore.Few+4, 0) // both have come, and neither waits for a group
	c.letGo()
	for range 2 {
		if err := <-outcomes; err != nil {
			t.Error(err)
		}
	}
	if n := c.transactions(t, "late"); n != 2 {
		t.Errorf("%d transactions, want one for each", n)
	}
}

// Two of a group make the key of the same practitioner, so the group falls apart.
func TestInAGroupKeysAreMadeOnce_D69(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, "", func(e *engine) {
		e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1}) // so there is a practice
		e.Store.Keys = &keyring.Keyring{DB: e.Store.DB, Codec: e.Store.Codec, Masters: sealing.NewRing(sealing.MasterKey{1, 2, 3})}
		if err := e.Store.Keys.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	act := func(email string) context.Context {
		of := &event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Dr Bell", Email: email}}
		return event.WithMetadata(t.Context(), event.Metadata{Actor: event.Application(uuid.New(), "application-restricted", of)})
	}
	outcomes := c.join(act("one@elm.example"), t, "a")
	for n, email := range []string{"two@elm.example", "one@elm.example", "three@elm.example"} {
		outcome := make(chan error, 1)
		go func() { outcome <- enginetest.Second(c.note(act(email), email+" "+strconv.Itoa(n))) }()
		outcomes = append(outcomes, outcome)
		c.await(t, eventstore.Few+2+n+2, n+2)
	}
	c.letGo()
	var refused int
	for n, outcome := range outcomes {
		err := <-outcome
		switch {
		case errors.Is(err, event.ErrConflict) && (n == 0 || n == 2):
			refused++
		case err != nil:
			t.Errorf("append %d: %v", n, err)
		}
	}
	if kinds := c.count(t, "personal_keys"); refused != 1 || kinds != 4 {
		t.Errorf("%d refused, %d keys; want one of those with the same practitioner refused, and the keys of the practice and of three", refused, kinds)
	}
}
