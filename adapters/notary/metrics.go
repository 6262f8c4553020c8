package notary

import (
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/domain/proof"
)

// Metrics has the state of a signer. A nil Metrics measures nothing.
type Metrics struct {
	idx       *prometheus.GaugeVec
	alarms    prometheus.Gauge
	completed prometheus.Gauge
	verified  prometheus.Gauge
	waiting   *prometheus.GaugeVec
	forgotten *prometheus.CounterVec
	lost      prometheus.Gauge
}

// NewMetrics registers the signer's metrics.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		idx: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "frontdesk_signer_idx", Help: "Idx up to which the signer has read a log.",
		}, []string{"log"}),
		alarms: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "frontdesk_signer_alarms", Help: "Alarms of the last round: logs that are no longer signed, and witnesses that know another history.",
		}),
		completed: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "frontdesk_signer_completed_timestamp_seconds", Help: "When everything was signed, witnessed and published last.",
		}),
		verified: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "frontdesk_signer_verified_timestamp_seconds", Help: "When the last reading of all logs began that has come to its end.",
		}),
		waiting: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "frontdesk_signer_unwitnessed_checkpoints", Help: "Newest checkpoints that a witness has not cosigned.",
		}, []string{"witness"}),
		forgotten: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "frontdesk_signer_witness_forgot_total", Help: "Checkpoints that a witness has forgotten that it had cosigned them: its folder was set back.",
		}, []string{"witness"}),
		lost: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "frontdesk_signer_unacknowledged_epoch", Help: "The last epoch that has lost entries which were signed, until an operator gives --accept-epoch; 0 if there is none.",
		}),
	}
	registry.MustRegister(m.idx, m.alarms, m.completed, m.verified, m.waiting, m.forgotten, m.lost)
	return m
}

// measure records the result of a round.
func (s *Signer) measure(problems []error) {
	m := s.Metrics
	if m == nil {
		return
	}
	for kind, p := range s.m.Logs {
		m.idx.WithLabelValues(label(kind)).Set(float64(p.Idx))
	}
	for _, w := range s.Witnesses {
		m.waiting.WithLabelValues(w.URL).Set(float64(len(s.uncosigned(w))))
		m.forgotten.WithLabelValues(w.URL).Add(0)
	}
	alarms := 0
	for _, e := range problems {
		if isAlarm(e) {
			alarms++
		}
	}
	m.alarms.Set(float64(alarms))
	m.lost.Set(float64(s.m.Unacknowledged))
	m.verified.Set(float64(s.m.Verified.Unix()))
	if len(problems) == 0 {
		m.completed.Set(float64(s.Now().Unix()))
	}
}

// forgot counts a witness's losses of state.
func (m *Metrics) forgot(w *Witness) {
	if m != nil {
		m.forgotten.WithLabelValues(w.URL).Add(float64(w.fewer))
	}
}

func label(kind proof.Kind) string {
	if kind == proof.Access {
		return "access"
	}
	return "events"
}
