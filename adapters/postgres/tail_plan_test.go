package postgres_test

import (
	"testing"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event/eventtest"
)

// Every consumer reads the tail several times a second.
func TestTailKeepsItsPlan_D131(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	for _, analyzed := range []bool{false, true} {
		if analyzed {
			for range 30 {
				e.append(t, newStream(), 0, eventtest.Counted{N: 1})
			}
			e.drain(t)
			execute(t, db.SuperuserURL, `ANALYZE`)
		}
		pool, err := postgres.NewPool(t.Context(), db.URL, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		for idx := range 20 {
			rows, _ := pool.Query(t.Context(), postgres.ReadStretch, idx+15, epoch.StreamOf().ID, 8<<20)
			rows.Close()
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
		}
		if times := postgrestest.Planned(t, pool)[postgres.ReadStretch]; times != 5 {
			t.Errorf("analyzed %v: planned for its arguments %d times", analyzed, times)
		}
	}
}
