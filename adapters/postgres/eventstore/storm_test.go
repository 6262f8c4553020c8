package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/fault"
	"frontdesk/projections"
)

// storm is 64 writers whose appends get in each other's way, whose callers leave and whose
// connections are killed. Afterwards, each append is compared with the stored events.
type storm struct {
	*engine
	super  *pgxpool.Pool
	stores []*eventstore.Store // of several processes
	shared [40]sharedStream    // several append to them

	mu       sync.Mutex
	attempts []attempt
}

type sharedStream struct {
	id      uuid.UUID
	version atomic.Int64 // at least this one is stored
}

// attempt is an append and its caller's result.
type attempt struct {
	token  string // in each of its events, and in no other
	name   string // that only one may have; "" for none
	shares bool   // a stream to which others also append
	events int
	err    error
}

// named keeps the names: a note is "name#token of its attempt".
type named struct{}

func (named) Name() string { return "names.v1" }

func (named) Project(r event.Recorded, do func(sql string, args ...any)) {
	if name, token, _ := strings.Cut(r.Event.(eventtest.Marked).Mark, "#"); name != "" {
		do(`INSERT INTO test.names (name, token) VALUES ($1, $2)`, name, token)
	}
}

// weather lets the storm blow for a while, through a pooler where url leads to one.
func weather(t *testing.T, db *postgrestest.Database, url string, lasts time.Duration) *storm {
	t.Helper()
	s := &storm{engine: engineOn(t, url+"&pool_max_conns=16"), super: db.SuperuserPool(t)}
	for n := range s.shared {
		s.shared[n].id = uuid.New()
	}
	_, err := s.super.Exec(t.Context(), `CREATE SCHEMA test; GRANT USAGE ON SCHEMA test TO frontdesk_app;
		CREATE TABLE test.names (name text CONSTRAINT staff_username UNIQUE, token text); GRANT ALL ON test.names TO frontdesk_app`)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*engine{s.engine, engineOn(t, url+"&pool_max_conns=16")} {
		e.Store.DB, e.Store.AtOnce = postgres.ForCallers(e.Pool), []projections.Projection{named{}}
		s.stores = append(s.stores, e.Store)
	}
	watch := clock.Start()
	var writers sync.WaitGroup
	for w := range 64 {
		writers.Go(func() {
			for n := 0; watch.Elapsed() < lasts; n++ {
				s.do(t.Context(), fmt.Sprintf("%d-%d", w, n))
			}
		})
	}
	killing := enginetest.RunUntilCleanup(t, s.kill)
	writers.Wait()
	killing()
	for _, store := range s.stores {
		store.Close()
	}
	return s
}

// do appends something, and notes the result.
func (s *storm) do(ctx context.Context, token string) {
	d := attempt{token: token}
	if rand.IntN(3) == 0 {
		d.name = fmt.Sprint("name ", rand.IntN(2000))
	}
	var changes []event.Change
	var shared *sharedStream
	for n := range 1 + rand.IntN(2) {
		change := event.Change{Stream: enginetest.NewStream()}
		if n == 0 && rand.IntN(3) == 0 {
			shared, d.shares = &s.shared[rand.IntN(len(s.shared))], true
			change.Stream.ID, change.Expected = shared.id, int(shared.version.Load())
		}
		for range 1 + rand.IntN(3) {
			change.Events = append(change.Events, eventtest.Marked{Patient: uuid.New(), Mark: "#" + token})
		}
		d.events += len(change.Events)
		changes = append(changes, change)
	}
	if d.name != "" {
		changes[0].Events[0] = eventtest.Marked{Mark: d.name + "#" + token}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if rand.IntN(20) == 0 {
		defer time.AfterFunc(rand.N(4*time.Millisecond), cancel).Stop()
	}
	_, d.err = s.stores[rand.IntN(len(s.stores))].Append(ctx, changes...)
	if shared != nil {
		shared.follow(ctx, s.super, d.err, changes[0])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempts = append(s.attempts, d)
}

// follow notes which version is stored.
func (s *sharedStream) follow(ctx context.Context, db *pgxpool.Pool, err error, change event.Change) {
	version := int64(change.Expected + len(change.Events))
	if err != nil && db.QueryRow(context.WithoutCancel(ctx), `SELECT count(*) FROM events WHERE tenant = $1 AND stream = $2`, change.Stream.Tenant, s.id).Scan(&version) != nil {
		return
	}
	for known := s.version.Load(); known < version && !s.version.CompareAndSwap(known, version); known = s.version.Load() {
	}
}

// kill ends a connection of those that write, now and then.
func (s *storm) kill(ctx context.Context) {
	for ctx.Err() == nil {
		_, _ = s.super.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND usename = 'frontdesk_app' ORDER BY random() LIMIT 1`)
		select {
		case <-ctx.Done():
		case <-time.After(rand.N(100 * time.Millisecond)):
		}
	}
}

// check compares all results with the stored events.
func (s *storm) check(t *testing.T) {
	t.Helper()
	stored, holder := s.stored(t), s.holders(t)
	var results [3]int
	continued := 0
	for _, d := range s.attempts {
		n := stored[d.token]
		judged, refused := errors.AsType[*fault.Error](d.err)
		switch {
		case d.err == nil:
			results[0]++
			if n != d.events || d.name != "" && holder[d.name] != d.token {
				t.Errorf("append %s was acknowledged: %d of %d events are stored, and its name is held by %q", d.token, n, d.events, holder[d.name])
			}
		case errors.Is(d.err, event.ErrConflict), refused && judged != postgres.ErrUnavailable:
			results[1]++
			if n != 0 {
				t.Errorf("append %s was refused, and %d of its events are stored: %v", d.token, n, d.err)
			}
			if !d.explains(holder) {
				t.Errorf("append %s got another's fault: %v", d.token, d.err)
			}
		default: // unknown
			results[2]++
			if n != 0 && n != d.events {
				t.Errorf("append %s is stored in part: %d of %d events", d.token, n, d.events)
			}
		}
	}
	t.Logf("%d acknowledged, %d refused, %d unknown; %s", results[0], results[1], results[2], eventstore.Grouped(s.Store))
	for n := range s.shared {
		if s.shared[n].version.Load() > 1 {
			continued++
		}
	}
	if continued == 0 {
		t.Error("no shared stream has grown")
	}
	if results[0] == 0 || results[1] == 0 || results[2] == 0 {
		t.Error("the storm was none")
	}
	s.Pool.Reset() // some of its connections were cut off last
	s.Drain(t)
	log := s.Logged(t)
	wantCausal(t, log)
	if len(log) != s.count(t, "events") {
		t.Errorf("%d events are in the log, want %d", len(log), s.count(t, "events"))
	}
}

// explains reports whether the attempt's own events are a reason for its result. Two groups
// that want two names in two orders may deadlock, which is also a conflict. Each append then
// commits alone, and none alone has two names.
func (d attempt) explains(holder map[string]string) bool {
	if errors.Is(d.err, event.ErrConflict) {
		return d.shares
	}
	return strings.Contains(d.err.Error(), "username") && d.name != "" && holder[d.name] != "" && holder[d.name] != d.token
}

// stored is how many events of each attempt are stored.
func (s *storm) stored(t *testing.T) map[string]int {
	t.Helper()
	found := map[string]int{}
	rows, _ := s.super.Query(t.Context(), `SELECT split_part(data::json->>'mark', '#', 2), count(*) FROM events GROUP BY 1`)
	var token string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&token, &n}, func() error { found[token] = n; return nil }); err != nil {
		t.Fatal(err)
	}
	return found
}

// holders is whose each name is.
func (s *storm) holders(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	rows, _ := s.super.Query(t.Context(), `SELECT name, token FROM test.names`)
	var name, token string
	if _, err := pgx.ForEachRow(rows, []any{&name, &token}, func() error { found[name] = token; return nil }); err != nil {
		t.Fatal(err)
	}
	return found
}

// Nothing that was acknowledged is lost, nothing that was refused is stored, and each
// refusal goes to its own caller.
func TestAStormOfAppendsLosesNothing_D60(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	weather(t, db, db.URL, 2*time.Second).check(t)
}
