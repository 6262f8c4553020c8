package webhooks

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"frontdesk/adapters/clock"
)

const oneLaneIsFull = `
# HELP frontdesk_webhook_in_flight Deliveries that this process is sending.
# TYPE frontdesk_webhook_in_flight gauge
frontdesk_webhook_in_flight 5
# HELP frontdesk_webhook_lanes Destinations for which this process has claimed deliveries.
# TYPE frontdesk_webhook_lanes gauge
frontdesk_webhook_lanes 2
# HELP frontdesk_webhook_lanes_full Destinations to which this process sends as much at once as it may.
# TYPE frontdesk_webhook_lanes_full gauge
frontdesk_webhook_lanes_full 1
`

// A lane is full while all its slots are taken, whatever is claimed beyond them.
func TestMetricsTellFullLanes_D110(t *testing.T) {
	t.Parallel()
	registry, l := prometheus.NewRegistry(), newLanes()
	m := NewMetrics(registry, clock.System)
	hangs, other := [16]byte{1}, [16]byte{2}
	for range perDestination + 2 {
		l.take(hangs)
	}
	for range 2 {
		l.give(outcome{destination: hangs})
	}
	l.take(other)
	m.setLanes(l)
	names := []string{"frontdesk_webhook_in_flight", "frontdesk_webhook_lanes", "frontdesk_webhook_lanes_full"}
	if err := testutil.GatherAndCompare(registry, strings.NewReader(oneLaneIsFull), names...); err != nil {
		t.Error(err)
	}
	for range perDestination {
		l.give(outcome{destination: hangs})
	}
	if m.setLanes(l); l.full != 0 || testutil.ToFloat64(m.full) != 0 || testutil.ToFloat64(m.inFlight) != 1 {
		t.Errorf("%d lanes are full, %v under way", l.full, testutil.ToFloat64(m.inFlight))
	}
}
