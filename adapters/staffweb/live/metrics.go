package live

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts streams and messages. A nil Metrics counts nothing.
type Metrics struct {
	streams prometheus.Gauge
	ends    *prometheus.CounterVec
	lag     prometheus.Histogram
}

// NewMetrics registers the metrics of live pages.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "frontdesk_live_streams",
			Help: "Live pages that are told by this process what changes.",
		}),
		ends: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "frontdesk_live_streams_ended_total",
			Help: "Streams of live pages that have ended: gone or too slow, ended with the session, many for one session, unknown because the database was away, or stopping.",
		}, []string{"why"}),
		lag: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "frontdesk_live_lag_seconds",
			Help:    "From the recording of an event until live pages are told of it.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 14),
		}),
	}
	registry.MustRegister(m.streams, m.ends, m.lag)
	return m
}

func (m *Metrics) open(streams int) {
	if m != nil {
		m.streams.Set(float64(streams))
	}
}

func (m *Metrics) streamEnded(why string) {
	if m != nil {
		m.ends.WithLabelValues(why).Inc()
	}
}

func (m *Metrics) observeLag(lag time.Duration) {
	if m != nil {
		m.lag.Observe(lag.Seconds())
	}
}
