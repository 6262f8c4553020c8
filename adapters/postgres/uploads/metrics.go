package uploads

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Kinds of swept rows, as metrics name them.
const (
	SweptUploads    = "uploads"    // files that no event names
	SweptAnswers    = "answers"    // those that would be given again for an Idempotency-Key
	SweptDeliveries = "deliveries" // webhooks that ended long ago
)

// SweepMetrics counts the rows that this process deletes because they are too old. A nil
// SweepMetrics counts nothing.
type SweepMetrics struct {
	now       func() time.Time
	rows      *prometheus.CounterVec
	failures  *prometheus.CounterVec
	completed *prometheus.GaugeVec
}

// NewSweepMetrics registers the metrics of sweeping.
func NewSweepMetrics(registry prometheus.Registerer, now func() time.Time) *SweepMetrics {
	label := []string{"record"}
	m := &SweepMetrics{
		now: now,
		rows: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "frontdesk_swept_total", Help: "Rows that were deleted because they were too old.",
		}, label),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "frontdesk_sweep_failures_total", Help: "Times that sweeping a record failed.",
		}, label),
		completed: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "frontdesk_sweep_completed_timestamp_seconds", Help: "When this process last swept a record to its end.",
		}, label),
	}
	registry.MustRegister(m.rows, m.failures, m.completed)
	for _, record := range []string{SweptUploads, SweptAnswers, SweptDeliveries} {
		m.rows.WithLabelValues(record)
		m.failures.WithLabelValues(record)
	}
	return m
}

// Swept notes how a sweep of a record has ended.
func (m *SweepMetrics) Swept(record string, rows int64, err error) {
	if m == nil {
		return
	}
	m.rows.WithLabelValues(record).Add(float64(rows))
	if err != nil {
		m.failures.WithLabelValues(record).Inc()
		return
	}
	m.completed.WithLabelValues(record).Set(float64(m.now().Unix()))
}
