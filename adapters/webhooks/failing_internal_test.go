package webhooks

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
)

// A receiver fails from the fifth failed attempt in a row to its next success.
func TestReceiversThatFailAreCounted(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	m := NewMetrics(prometheus.NewRegistry(), func() time.Time { return now })
	dead, other := uuid.UUID{1}, uuid.UUID{2}
	ends := func(to uuid.UUID, times int, status Status, reason Reason) {
		for range times {
			m.attempted(outcome{destination: to, status: status, reason: reason, at: now})
		}
	}
	wants := func(when string, want float64) {
		t.Helper()
		if got := m.failing.receivers(); got != want {
			t.Errorf("%s %v receivers fail, want %v", when, got, want)
		}
	}
	ends(dead, failsAfter-1, Failed, TimeoutAnswer)
	ends(other, failsAfter, Failed, NotBuilt)
	wants("before the fifth failure and after five of ours", 0)
	ends(dead, 1, Failed, TimeoutAnswer)
	ends(other, 2*failsAfter, Delivered, "")
	wants("after the fifth failure", 1)
	ends(dead, 1, Delivered, "")
	wants("after a success", 0)
	ends(dead, failsAfter, Failed, TimeoutAnswer)
	now = now.Add(forgetAfter + time.Second)
	wants("an hour after the last attempt", 0)
}
