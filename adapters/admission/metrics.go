package admission

import (
	"maps"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics measures the permits and queues of a process by purpose, never by holder. A
// nil Metrics measures nothing.
type Metrics struct {
	mu         sync.Mutex
	semaphores map[string]*FairSemaphore
	queues     map[string]*FairQueue

	permits, taken, refused, turns, waiting *prometheus.Desc
}

// NewMetrics registers the metrics of permits and queues.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	m := &Metrics{
		semaphores: map[string]*FairSemaphore{}, queues: map[string]*FairQueue{},
		permits: desc("frontdesk_seats", "How many there may be of a kind at once.", "kind"),
		taken:   desc("frontdesk_seats_taken", "How many there are of a kind now.", "kind"),
		refused: desc("frontdesk_seats_refused_total", "Times there was no seat: because all were taken (full), or because the holder had a fair share (share).", "kind", "why"),
		turns:   desc("frontdesk_turns", "How many may have their turn at once.", "kind"),
		waiting: desc("frontdesk_turns_waiting", "How many wait for their turn.", "kind"),
	}
	registry.MustRegister(m)
	return m
}

// Semaphores adds semaphores by purpose.
func (m *Metrics) Semaphores(semaphores map[string]*FairSemaphore) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(m.semaphores, semaphores)
}

// Queues adds queues by purpose.
func (m *Metrics) Queues(queues map[string]*FairQueue) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(m.queues, queues)
}

// Describe sends the descriptions of the figures.
func (m *Metrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.permits, m.taken, m.refused, m.turns, m.waiting} {
		out <- d
	}
}

// Collect sends the figures of each kind.
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for kind, s := range m.semaphores {
		taken, full, spent := s.count()
		out <- prometheus.MustNewConstMetric(m.permits, prometheus.GaugeValue, float64(s.permits), kind)
		out <- prometheus.MustNewConstMetric(m.taken, prometheus.GaugeValue, float64(taken), kind)
		out <- prometheus.MustNewConstMetric(m.refused, prometheus.CounterValue, float64(full), kind, "full")
		out <- prometheus.MustNewConstMetric(m.refused, prometheus.CounterValue, float64(spent), kind, "share")
	}
	for kind, q := range m.queues {
		out <- prometheus.MustNewConstMetric(m.turns, prometheus.GaugeValue, float64(q.atOnce), kind)
		out <- prometheus.MustNewConstMetric(m.waiting, prometheus.GaugeValue, float64(q.Waiting()), kind)
	}
}
