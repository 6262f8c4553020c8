package pagekit

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts pages and attempts to sign in. A nil Metrics counts nothing.
type Metrics struct {
	duration *prometheus.HistogramVec
	signIns  *prometheus.CounterVec
}

// NewMetrics registers the metrics of the pages.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "frontdesk_page_seconds",
			Help:    "Staff pages, from the request to the answer.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 14),
		}, []string{"page", "status"}),
		signIns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "frontdesk_sign_ins_total",
			Help: "Tries of staff to sign in: signed-in, passkey-asked after the right password, refused, locked when a wait follows or was not over, or busy when no password was looked at.",
		}, []string{"outcome"}),
	}
	registry.MustRegister(m.duration, m.signIns)
	return m
}

func (m *Metrics) shown(page, status string, took time.Duration) {
	if m != nil {
		m.duration.WithLabelValues(page, status).Observe(took.Seconds())
	}
}

// SignedIn counts an attempt to sign in, by its outcome.
func (m *Metrics) SignedIn(outcome string) {
	if m != nil {
		m.signIns.WithLabelValues(outcome).Inc()
	}
}
