package admission_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"frontdesk/adapters/admission"
)

const exposition = `
# HELP frontdesk_seats How many there may be of a kind at once.
# TYPE frontdesk_seats gauge
frontdesk_seats{kind="slots"} 4
# HELP frontdesk_seats_refused_total Times there was no seat: because all were taken (full), or because the holder had a fair share (share).
# TYPE frontdesk_seats_refused_total counter
frontdesk_seats_refused_total{kind="slots",why="full"} 1
frontdesk_seats_refused_total{kind="slots",why="share"} 1
# HELP frontdesk_seats_taken How many there are of a kind now.
# TYPE frontdesk_seats_taken gauge
frontdesk_seats_taken{kind="slots"} 4
# HELP frontdesk_turns How many may have their turn at once.
# TYPE frontdesk_turns gauge
frontdesk_turns{kind="calls"} 1
# HELP frontdesk_turns_waiting How many wait for their turn.
# TYPE frontdesk_turns_waiting gauge
frontdesk_turns_waiting{kind="calls"} 0
`

// Waiting for others and waiting because of one's own share are counted separately,
// without names.
func TestMetricsShowPermitsAndQueues_D110(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	metrics, slots, calls := admission.NewMetrics(registry), admission.NewFairSemaphore(4), admission.NewFairQueue(1)
	metrics.Semaphores(map[string]*admission.FairSemaphore{"slots": slots})
	metrics.Queues(map[string]*admission.FairQueue{"calls": calls})
	for _, holder := range []string{"ann", "ann", "bob", "ann", "eve", "eve's brother"} {
		slots.Permit(holder).Take()
	}
	if err := calls.Take(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if err := testutil.GatherAndCompare(registry, strings.NewReader(exposition)); err != nil {
		t.Error(err)
	}
}
