package eventstore_test

import (
	"testing"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/epoch"
)

// Every consumer reads the end of the log several times a second.
func TestTailKeepsItsPlan_D131(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"empty": ``, "with statistics": `
		INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
		SELECT gen_random_uuid(), 'elm-street', gen_random_uuid(), 1, 'test.counted.v1', '{"n":1}', '{}', now() FROM generate_series(1, 20000);
		INSERT INTO log (idx, position) SELECT row_number() OVER (ORDER BY position), position FROM events;
		ANALYZE`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.New(t)
			enginetest.Execute(t, db.SuperuserURL, content)
			pool, err := postgres.NewPool(t.Context(), db.URL, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			for n := range 20 {
				rows, _ := pool.Query(t.Context(), eventstore.ReadStretch, 19_980+n, epoch.StreamOf().ID, 8<<20)
				rows.Close()
				if err := rows.Err(); err != nil {
					t.Fatal(err)
				}
			}
			if times := postgrestest.Planned(t, pool)[eventstore.ReadStretch]; times != 5 {
				t.Errorf("planned for its arguments %d times", times)
			}
		})
	}
}
