package broker

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/clock"
)

// Metrics has the state of a relay. A nil Metrics measures nothing.
type Metrics struct {
	stopped prometheus.Gauge

	mu             sync.Mutex
	reached, known int64
	mark           mark
}

// mark is an end of the log that the broker does not hold yet, and since when it is known.
// When it does, the next mark is the end that is known then.
type mark struct {
	idx   int64
	since clock.Stopwatch // not started: the broker holds all
}

// NewMetrics registers the relay's metrics.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{stopped: prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "frontdesk_relay_stopped", Help: "1 if the relay has stopped for good, because the broker holds a history that the log has lost.",
	})}
	registry.MustRegister(m.stopped, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "frontdesk_relay_idx", Help: "Idx up to which the broker is known to hold the log.",
	}, func() float64 { reached, _, _ := m.figures(); return reached }), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "frontdesk_relay_lag_events", Help: "Events of the log, as it was seen last, that the broker is not known to hold.",
	}, func() float64 { _, lag, _ := m.figures(); return lag }), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "frontdesk_relay_lag_seconds", Help: "For how long the relay has known of an event that the broker does not hold; 0 if it holds all.",
	}, func() float64 { _, _, age := m.figures(); return age }))
	return m
}

// figures returns the position at the broker, and the lag in events and in seconds.
func (m *Metrics) figures() (reached, lag, age float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mark.since.Started() {
		age = m.mark.since.Elapsed().Seconds()
	}
	return float64(m.reached), float64(max(0, m.known-m.reached)), age
}

// head sets the end of the log.
func (m *Metrics) head(idx int64) {
	if m != nil {
		m.moved(func() { m.known = idx })
	}
}

// reach sets the position at the broker.
func (m *Metrics) reach(idx int64) {
	if m != nil {
		m.moved(func() { m.reached = idx })
	}
}

// moved changes a position, and sets the mark again where the broker has come to it.
func (m *Metrics) moved(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
	switch {
	case m.known <= m.reached:
		m.mark = mark{}
	case !m.mark.since.Started() || m.reached >= m.mark.idx:
		m.mark = mark{m.known, clock.Start()}
	}
}

// stop records that the relay has stopped.
func (m *Metrics) stop() {
	if m != nil {
		m.stopped.Set(1)
	}
}
