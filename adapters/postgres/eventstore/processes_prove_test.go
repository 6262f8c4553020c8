//go:build prove

package eventstore_test

import (
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
)

func TestProveKilledProcessesHandleEventsOnce(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	comingAndGoing(t, db, db.URL, provetest.Pick(50, 500), 200)
}

// A long page hardly ever passes while its handler is moody, and a single event takes longer
// through a pooler. So fewer come at a time.
func TestProvePgBouncerHandlesEventsOnce(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	comingAndGoing(t, db, postgrestest.Pooled(t, db.URL), provetest.Pick(30, 100), 20)
}
