//go:build prove

package postgres_test

import (
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
)

func TestProveThatEachEventIsHandledOnceByProcessesThatComeAndGo(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	comingAndGoing(t, db, db.URL, 500, 200)
}

// A long page hardly ever passes while its handler is moody, and an event alone takes
// longer through a pooler. So fewer come at a time.
func TestProveThatEachEventIsHandledOnceBehindPgBouncer(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	comingAndGoing(t, db, postgrestest.Pooled(t, db.URL), 100, 20)
}
