package eventstore_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
)

// A snapshot that a long reader kept would keep the dead rows of the
// sequencer's queue from being vacuumed, and slow every append down.
func TestAReaderKeepsNoSnapshotBetweenPages(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.AppendMany(t, 30)
	e.Drain(t)
	config, err := pgxpool.ParseConfig(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig.RuntimeParams["application_name"] = "reader"
	reader, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	admin, read := db.AdminPool(t), 0
	for _, err := range (eventstore.Log{DB: reader, Codec: e.Log.Codec, Page: 7}).After(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		read++
		var seen, holding int
		clocktest.Eventually(t, func() bool { // the next page may be on its way
			err := admin.QueryRow(t.Context(), `
				SELECT count(*), count(*) FILTER (WHERE backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
				FROM pg_stat_activity WHERE application_name = 'reader' AND datname = current_database()`).Scan(&seen, &holding)
			if err != nil {
				t.Fatal(err)
			}
			return seen > 0 && holding == 0
		}, "no connection holds a snapshot after %d events", read)
	}
	if read != 30 {
		t.Errorf("read %d events", read)
	}
}
