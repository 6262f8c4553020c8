package replay_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/replay"
	"frontdesk/domain/event"
	"frontdesk/domain/site"
	"frontdesk/projections"
	"frontdesk/projections/applications"
)

// auditor is a pool as the role that may read.
func (s *surgery) auditor(t testing.TB) *pgxpool.Pool {
	t.Helper()
	at, err := url.Parse(s.db.URL)
	if err != nil {
		t.Fatal(err)
	}
	query := at.Query()
	at.User = url.User(postgres.AuditRole)
	if query.Has("user") {
		query.Set("user", postgres.AuditRole)
		at.RawQuery = query.Encode()
	}
	pool, err := postgres.NewPool(t.Context(), at.String(), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func (s *surgery) past(t *testing.T, until replay.Until) *replay.Past {
	t.Helper()
	past, err := (&replay.Replay{
		Pool: s.auditor(t), Log: eventstore.Log{Codec: s.codec, Page: 50}, Keys: s.keys, Schema: replay.Temporary, Until: until,
		Projections: projections.All(),
	}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(past.Close)
	return past
}

// An auditor's read-only role is enough.
func TestPastStateIsReproduced(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	type moment struct {
		at      time.Time
		head    int64
		enabled []applications.Enablement
	}
	var moments []moment
	for range 6 {
		s.live(t, 60)
		s.drain(t)
		now := moment{at: s.at}
		var err error
		if now.enabled, err = (applications.Enablements{DB: s.pool}).All(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if now.head, err = s.log().Head(t.Context()); err != nil {
			t.Fatal(err)
		}
		moments = append(moments, now)
		s.at = s.at.Add(time.Second)
	}
	for _, then := range moments {
		for _, until := range []replay.Until{{Instant: then.at}, {Idx: then.head}, {Instant: then.at.Add(time.Millisecond)}} {
			past := s.past(t, until)
			if past.Idx != then.head {
				t.Errorf("until %+v: idx %d, want %d", until, past.Idx, then.head)
			}
			err := past.View(t.Context(), func(db projections.Querier) error {
				found, err := applications.Enablements{DB: db}.All(t.Context(), "")
				wantEqual(t, then.enabled, found)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Clocks can be wrong: the past of an instant ends before the first event that was
// recorded after it, whatever follows.
func TestThePastEndsWithTheLongestPrefix(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.drain(t)
	before, err := s.log().Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, offset := range []time.Duration{time.Second, time.Hour, 2 * time.Second} {
		s.at = noon.Add(offset)
		id := site.ID{UUID: uuid.New()}
		_, err := s.store.Append(t.Context(), event.Change{Stream: site.StreamOf("elm-street", id), Events: []event.Event{site.Added{Site: id, Name: "Site"}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	s.drain(t)
	for offset, want := range map[time.Duration]int64{
		-time.Second: 0, 0: before, time.Second: before + 1, 2 * time.Second: before + 1, time.Hour: before + 3,
	} {
		if past := s.past(t, replay.Until{Instant: noon.Add(offset)}); past.Idx != want {
			t.Errorf("as of noon%+v: idx %d, want %d", offset, past.Idx, want)
		}
	}
}

func TestAKeptPastStaysAndIsNotMadeTwice(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.live(t, 50)
	s.drain(t)
	keep := func() error {
		past, err := (&replay.Replay{
			Pool: s.owner, Log: eventstore.Log{Codec: s.codec}, Keys: s.keys, Schema: "then", Until: replay.Until{Idx: 20}, Projections: projections.AtOnce(),
		}).Run(context.WithoutCancel(t.Context()))
		if err == nil {
			past.Close()
		}
		return err
	}
	if err := keep(); err != nil {
		t.Fatal(err)
	}
	var practices int
	if err := s.owner.QueryRow(t.Context(), `SELECT count(*) FROM "then".practices`).Scan(&practices); err != nil || practices != 2 {
		t.Errorf("%d practices, %v", practices, err)
	}
	if err := keep(); err == nil {
		t.Error("a schema that was kept is written to again")
	}
}
