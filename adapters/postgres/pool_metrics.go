package postgres

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// PoolMetrics counts the connections of pools, by the pools' names. It queries the pools,
// never the database.
func PoolMetrics(pools map[string]*pgxpool.Pool) prometheus.Collector {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, append([]string{"pool"}, labels...), nil)
	}
	return &poolMetrics{
		pools,
		desc("frontdesk_pool_connections", "Connections to the database: in use, idle, or being opened.", "state"),
		desc("frontdesk_pool_connections_max", "Most connections that a pool may have."),
		desc("frontdesk_pool_acquisitions_total", "Times a connection was taken."),
		desc("frontdesk_pool_waits_total", "Times a connection was taken for which somebody had to wait, because none was idle."),
		desc("frontdesk_pool_wait_seconds_total", "How long that took."),
		desc("frontdesk_pool_given_up_total", "Times somebody who wanted a connection waited no longer."),
	}
}

type poolMetrics struct {
	pools                                           map[string]*pgxpool.Pool
	connections, most, taken, waits, waited, giveUp *prometheus.Desc
}

// Describe sends the descriptions of the figures.
func (m *poolMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.connections, m.most, m.taken, m.waits, m.waited, m.giveUp} {
		out <- d
	}
}

// Collect sends the figures of each pool.
func (m *poolMetrics) Collect(out chan<- prometheus.Metric) {
	for name, pool := range m.pools {
		stat := pool.Stat()
		gauge := func(d *prometheus.Desc, n int32, labels ...string) {
			out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), append([]string{name}, labels...)...)
		}
		counter := func(d *prometheus.Desc, n float64) {
			out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, n, name)
		}
		gauge(m.connections, stat.AcquiredConns(), "in-use")
		gauge(m.connections, stat.IdleConns(), "idle")
		gauge(m.connections, stat.ConstructingConns(), "opening")
		gauge(m.most, stat.MaxConns())
		counter(m.taken, float64(stat.AcquireCount()))
		counter(m.waits, float64(stat.EmptyAcquireCount()))
		counter(m.waited, stat.EmptyAcquireWaitTime().Seconds())
		counter(m.giveUp, float64(stat.CanceledAcquireCount()))
	}
}
