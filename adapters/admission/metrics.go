package admission

import (
	"maps"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics measures the permits and queues of a process by purpose, never by holder. A
// nil Metrics measures nothing.
type Metrics struct {
	mu     sync.Mutex
	shares map[string]*Shares
	turns  map[string]*Turns

	seats, taken, refused, turn, waiting *prometheus.Desc
}

// NewMetrics registers the metrics of permits and queues.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	m := &Metrics{
		shares: map[string]*Shares{}, turns: map[string]*Turns{},
		seats:   desc("frontdesk_seats", "How many there may be of a kind at once.", "kind"),
		taken:   desc("frontdesk_seats_taken", "How many there are of a kind now.", "kind"),
		refused: desc("frontdesk_seats_refused_total", "Times there was no seat: because all were taken (full), or because the holder had a fair share (share).", "kind", "why"),
		turn:    desc("frontdesk_turns", "How many may have their turn at once.", "kind"),
		waiting: desc("frontdesk_turns_waiting", "How many wait for their turn.", "kind"),
	}
	registry.MustRegister(m)
	return m
}

// Seats adds semaphores by purpose.
func (m *Metrics) Seats(of map[string]*Shares) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(m.shares, of)
}

// Turns adds queues by purpose.
func (m *Metrics) Turns(of map[string]*Turns) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(m.turns, of)
}

// Describe sends the descriptions of the figures.
func (m *Metrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.seats, m.taken, m.refused, m.turn, m.waiting} {
		out <- d
	}
}

// Collect sends the figures of each kind.
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for kind, s := range m.shares {
		taken, full, spent := s.count()
		out <- prometheus.MustNewConstMetric(m.seats, prometheus.GaugeValue, float64(s.seats), kind)
		out <- prometheus.MustNewConstMetric(m.taken, prometheus.GaugeValue, float64(taken), kind)
		out <- prometheus.MustNewConstMetric(m.refused, prometheus.CounterValue, float64(full), kind, "full")
		out <- prometheus.MustNewConstMetric(m.refused, prometheus.CounterValue, float64(spent), kind, "share")
	}
	for kind, t := range m.turns {
		out <- prometheus.MustNewConstMetric(m.turn, prometheus.GaugeValue, float64(t.atOnce), kind)
		out <- prometheus.MustNewConstMetric(m.waiting, prometheus.GaugeValue, float64(t.Waiting()), kind)
	}
}
