//go:build prove

package eventstore_test

import (
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/domain/patient"
)

// With or without a pooler before the database, the log of a person ends with their
// erasure, and no key is left.
func TestProveErasedPersonGetsNoEvent_D70(t *testing.T) {
	t.Parallel()
	for name, pooled := range map[string]bool{"direct": false, "PgBouncer": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.New(t)
			url := db.URL
			if pooled {
				url = postgrestest.Pooled(t, db.URL)
			}
			w := newWard(t, db, url)
			var erased []patient.ID
			for range provetest.Pick(50, 400) {
				ann := w.register(t)
				w.race(t, ann)
				erased = append(erased, ann)
			}
			w.wantNothingLate(t, erased...)
			provetest.Tried(t, len(erased), "erasures beside appends")
			t.Logf("%d events were stored about %d patients", w.count(t, `SELECT count(*) FROM events WHERE patient IS NOT NULL`), len(erased))
		})
	}
}
