package postgres

import "github.com/prometheus/client_golang/prometheus"

// Metrics counts what the feed does. A nil Metrics counts nothing.
type Metrics struct {
	idx   *prometheus.GaugeVec
	stops *prometheus.CounterVec
}

// NewMetrics registers the feed's metrics.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		idx: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "frontdesk_consumer_idx",
			Help: "Idx of the newest event that a consumer of this process has handled.",
		}, []string{"consumer"}),
		stops: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "frontdesk_consumer_stops_total",
			Help: "Times a consumer stopped at an event that it could not handle.",
		}, []string{"consumer"}),
	}
	registry.MustRegister(m.idx, m.stops)
	return m
}

func (m *Metrics) handled(consumer string, idx int64) {
	if m != nil {
		m.idx.WithLabelValues(consumer).Set(float64(idx))
	}
}

func (m *Metrics) stopped(consumer string) {
	if m != nil {
		m.stops.WithLabelValues(consumer).Inc()
	}
}
