package broker

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics has the state of a relay. A nil Metrics measures nothing.
type Metrics struct {
	reached, known atomic.Int64
	stopped        prometheus.Gauge
}

// NewMetrics registers the relay's metrics.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{stopped: prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "frontdesk_relay_stopped", Help: "1 if the relay has stopped for good, because the broker holds a history that the log has lost.",
	})}
	registry.MustRegister(m.stopped, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "frontdesk_relay_idx", Help: "Idx up to which the broker is known to hold the log.",
	}, func() float64 { return float64(m.reached.Load()) }), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "frontdesk_relay_lag_events", Help: "Events of the log, as it was seen last, that the broker is not known to hold.",
	}, func() float64 { return float64(max(0, m.known.Load()-m.reached.Load())) }))
	return m
}

// head sets the end of the log.
func (m *Metrics) head(idx int64) {
	if m != nil {
		m.known.Store(idx)
	}
}

// reach sets the position at the broker.
func (m *Metrics) reach(idx int64) {
	if m != nil {
		m.reached.Store(idx)
	}
}

// stop records that the relay has stopped.
func (m *Metrics) stop() {
	if m != nil {
		m.stopped.Set(1)
	}
}
