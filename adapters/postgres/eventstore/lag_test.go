package eventstore_test

import (
	"testing"
	"time"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event/eventtest"
)

// However few events there are: a sequencer or a consumer that does nothing is seen.
func TestLagIsMeasuredInSeconds_D132(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	now := enginetest.Noon
	e.Store.Now = func() time.Time { return now }
	metrics := eventstore.Lag(e.Pool, func() time.Time { return now })
	wants := func(when string, want map[string]float64) {
		t.Helper()
		got := enginetest.Measured(t, metrics)
		for name, seconds := range want {
			if age, ok := got[name]; !ok || age != seconds {
				t.Errorf("%s, %s is %v, want %v", when, name, age, seconds)
			}
		}
	}
	wants("at rest", map[string]float64{"unsequenced_age_seconds": 0})
	slow := e.begin(t) // draws its position first, commits after others are placed, and is then in a gap
	if _, err := slow.Exec(t.Context(), `
		INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
		VALUES (gen_random_uuid(), 'elm-street', gen_random_uuid(), 1, 'test.counted.v1', '{"n":1}', '{}', $1)`, enginetest.Noon); err != nil {
		t.Fatal(err)
	}
	now = enginetest.Noon.Add(30 * time.Second)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1})
	now = now.Add(60 * time.Second)
	wants("before it is placed", map[string]float64{"unsequenced_age_seconds": 60})
	e.Drain(t)
	if _, err := e.Pool.Exec(t.Context(), `INSERT INTO feed_offsets (consumer, idx) VALUES ('slow', 0), ('quick', 1)`); err != nil {
		t.Fatal(err)
	}
	wants("when it is placed", map[string]float64{"unsequenced_age_seconds": 0, "consumer_lag_seconds slow": 60, "consumer_lag_seconds quick": 0})
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	wants("when an event is in a gap", map[string]float64{"unsequenced_age_seconds": 90})
	now = enginetest.Noon.Add(-time.Hour)
	wants("with a clock that is behind", map[string]float64{"unsequenced_age_seconds": 0, "consumer_lag_seconds slow": 0})
}
