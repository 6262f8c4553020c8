//go:build prove

package eventstore_test

import (
	"testing"
	"time"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
)

// The storm lasts, directly and through a pooler that lends connections.
func TestProveStormOfAppendsLosesNothing_D60(t *testing.T) {
	t.Parallel()
	for name, through := range map[string]func(*testing.T, string) string{
		"direct":    func(_ *testing.T, url string) string { return url },
		"PgBouncer": postgrestest.Pooled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.New(t)
			s := weather(t, db, through(t, db.URL), provetest.Pick(10*time.Second, time.Minute))
			s.check(t)
			provetest.Tried(t, len(s.attempts), "appends")
		})
	}
}
