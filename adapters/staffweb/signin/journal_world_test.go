package signin_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// replica is one process with a journal.
type replica struct {
	*signin.Journal
	registry *prometheus.Registry
	logged   *bytes.Buffer
	away     atomic.Bool // the database, for its appends
}

// replica gives the surgery's sign-in service a journal that is run round by round.
func (s *surgery) replica(edits ...func(*signin.Journal)) *replica {
	r := &replica{registry: prometheus.NewRegistry(), logged: &bytes.Buffer{}}
	r.Journal = signin.NewJournal(store{s.store, &r.away}, postgres.On(s.pool), s.Tries, r.registry, slog.New(slog.NewTextHandler(r.logged, nil)))
	for _, edit := range edits {
		edit(r.Journal)
	}
	s.Journal = r.Journal
	return r
}

// lost returns the metric of lost events.
func (r *replica) lost(t *testing.T) float64 {
	t.Helper()
	families, err := r.registry.Gather()
	must(t, err)
	for _, family := range families {
		if family.GetName() == "frontdesk_sign_in_events_lost_total" {
			return family.GetMetric()[0].GetCounter().GetValue()
		}
	}
	return -1
}

// store refuses appends while the database is unavailable.
type store struct {
	commands.Store
	away *atomic.Bool
}

var errAway = fault.New(fault.Unavailable, "unavailable", "The database is away.")

func (s store) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	if s.away.Load() {
		return nil, errAway
	}
	return s.Store.Append(ctx, changes...)
}

// storedEvents returns the stored events of a name, as name, actor and data.
func (s *surgery) storedEvents(t *testing.T, name string) (events []string) {
	t.Helper()
	rows, err := s.pool.Query(t.Context(), `SELECT metadata || ' ' || data FROM events WHERE name = 'staff.' || $1 || '.v1' ORDER BY position`, name)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		must(t, rows.Scan(&text))
		events = append(events, text)
	}
	must(t, rows.Err())
	return events
}

func (s *surgery) wantEvents(t *testing.T, name string, want int, parts ...string) {
	t.Helper()
	storedEvents := s.storedEvents(t, name)
	if len(storedEvents) != want {
		t.Fatalf("%d events %s, want %d: %s", len(storedEvents), name, want, storedEvents)
	}
	for _, part := range parts {
		if !strings.Contains(storedEvents[len(storedEvents)-1], part) {
			t.Errorf("%s is %s, want %s in it", name, storedEvents[len(storedEvents)-1], part)
		}
	}
}
