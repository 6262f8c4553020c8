package eventstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// pad is the state of a stream of notes. Its decisions need nothing.
type pad struct{}

func (n pad) Apply(event.Event) pad { return n }

func (pad) Events() []event.Event { return []event.Event{eventtest.Marked{}} }

// BenchmarkDecideWithoutStatistics loads a stream, decides and appends, against one INSERT a
// commit, at a practice that has all of 200,000 events. Postgres has no statistics of its
// tables, as after a restore.
func BenchmarkDecideWithoutStatistics(b *testing.B) {
	admin, adminURL, e := durable(b, 80)
	postgrestest.Grow(b, adminURL, postgrestest.Grown{Practices: 1, Staff: 10, Patients: 1000, Events: 200_000})
	for _, statement := range []string{
		`CREATE TABLE floor (LIKE events INCLUDING ALL)`, `GRANT ALL ON floor TO frontdesk_app`,
		`ALTER TABLE events SET (autovacuum_enabled = off)`,
		`SET allow_system_table_mods = on; DELETE FROM pg_statistic; UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relnamespace = 'public'::regnamespace; RESET allow_system_table_mods`,
	} {
		if _, err := admin.Exec(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
	e.Pool.Reset() // sessions keep their plans
	var streams [64]event.Stream
	for n := range streams {
		streams[n] = event.Stream{Tenant: "practice-1", ID: uuid.New()}
	}
	decide := func(ctx context.Context) error {
		return commands.Update(ctx, e.Store, streams[rand.IntN(len(streams))], func(pad) ([]event.Event, error) { return []event.Event{sample}, nil })
	}
	fresh := func(ctx context.Context) error {
		return commands.Update(ctx, e.Store, event.Stream{Tenant: "practice-1", ID: uuid.New()}, func(pad) ([]event.Event, error) { return []event.Event{sample}, nil })
	}
	for _, writers := range []int{1, 8, 64} {
		for name, do := range map[string]func(context.Context) error{"new streams": fresh, "shared streams": decide} {
			b.Run(fmt.Sprintf("writers=%d/%s", writers, name), func(b *testing.B) {
				benchtest.Comparison{
					Ratio:   "of-insert",
					Floor:   benchtest.Rate{Unit: "inserts/s", Turn: turnOf(b, writers, e.insertFloor)},
					Rate:    benchtest.Rate{Unit: "decisions/s", Turn: turnOf(b, writers, do)},
					Cluster: benchtest.ClusterOf(b, admin),
				}.Run(b)
			})
		}
	}
}
