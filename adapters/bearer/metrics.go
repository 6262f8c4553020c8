package bearer

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts fetches of key sets. They do not name applications. A nil metrics
// counts nothing.
type metrics struct {
	fetches *prometheus.HistogramVec
	away    prometheus.Counter
}

// newMetrics registers the metrics of a cache, and returns nil without a registry.
func newMetrics(registry prometheus.Registerer, c *KeyCache) *metrics {
	if registry == nil {
		return nil
	}
	m := &metrics{
		prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "frontdesk_key_set_fetch_seconds", Help: "Fetches of applications' key sets, by what came of them.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2, 11),
		}, []string{"outcome"}),
		prometheus.NewCounter(prometheus.CounterOpts{
			Name: "frontdesk_key_set_sent_away_total", Help: "Calls that were answered 503 because too many waited for key sets already.",
		}),
	}
	registry.MustRegister(m.fetches, m.away, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "frontdesk_key_sets_held", Help: "Key sets in memory that serve without a fetch.",
	}, func() float64 { return float64(c.serving()) }), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "frontdesk_key_set_waiting", Help: "Calls that wait for a key set.",
	}, func() float64 { return float64(c.waiting()) }))
	return m
}

func (m *metrics) fetched(outcome FetchOutcome, took time.Duration) {
	if m != nil {
		m.fetches.WithLabelValues(string(outcome)).Observe(took.Seconds())
	}
}

func (m *metrics) sentAway() {
	if m != nil {
		m.away.Inc()
	}
}

// serving returns the number of sets that have not expired.
func (c *KeyCache) serving() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.config.Now()
	for _, e := range c.entries {
		if e.serves(now, 0) {
			n++
		}
	}
	return n
}

// waiting returns the number of callers that wait.
func (c *KeyCache) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.permits + c.briefWaiters
}
