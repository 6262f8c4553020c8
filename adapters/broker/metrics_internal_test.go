package broker

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// While the log grows all the time, the lag is that of the end that was known first.
func TestRelayLagHasAnAge(t *testing.T) {
	t.Parallel()
	m := NewMetrics(prometheus.NewRegistry())
	wants := func(when string, mark int64) {
		t.Helper()
		if m.mark.idx != mark || m.mark.since.Started() != (mark > 0) {
			t.Errorf("%s the mark is %d (%v), want %d", when, m.mark.idx, m.mark.since.Started(), mark)
		}
		if _, _, age := m.figures(); (age > 0) != (mark > 0) {
			t.Errorf("%s the age is %v", when, age)
		}
	}
	wants("at the start", 0)
	m.head(10)
	wants("when the log is ahead", 10)
	m.head(20)
	m.reach(9)
	wants("when the log has grown", 10)
	m.reach(10)
	wants("when the broker has come to the mark", 20)
	m.reach(20)
	wants("when the broker holds all", 0)
}
