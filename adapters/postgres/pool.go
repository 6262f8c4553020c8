package postgres

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// connectLimit is the time to make one connection, unless the URL sets another. It is less
// than [CallerLimit], so that a caller still reaches the second host of a URL whose first
// one is silent.
const connectLimit = 5 * time.Second

// NewPool returns a pool of at most so many connections to url; 0 leaves the number to url
// or to pgx. It connects on demand.
func NewPool(ctx context.Context, url string, connections int32) (*pgxpool.Pool, error) {
	return NewTracedPool(ctx, url, connections, nil)
}

// sessionSettings are the settings that the program's statements rely on; they override those
// of the role and the database. Row security that would hide rows is an error, not a shorter
// answer. Compiling a statement takes longer than any of the program's runs. A client whose
// machine has vanished loses its session, and its locks, as soon as it would lose its
// connection ([vanished]). A commit waits for the disk unless its transaction turns that off.
// Behind a pooler that lends connections for a transaction, the pooler has to set them.
const sessionSettings = `
SET search_path = public, pg_temp; SET row_security = off; SET default_transaction_isolation = 'read committed'; SET jit = off;
SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 2; SET tcp_user_timeout = 20000;
SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)`

// programName is the application_name of the program's sessions.
const programName = "frontdesk"

// NewTracedPool is [NewPool] with a tracer, which sees every statement; nil sees none.
func NewTracedPool(ctx context.Context, url string, connections int32, tracer pgx.QueryTracer) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	if connections > 0 {
		config.MaxConns = connections
	}
	config.ConnConfig.ConnectTimeout = cmp.Or(config.ConnConfig.ConnectTimeout, connectLimit)
	config.ConnConfig.DialFunc = dialer.DialContext
	config.ConnConfig.RuntimeParams["application_name"] = programName
	config.ConnConfig.Tracer = tracer
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		registerIdentifiers(conn.TypeMap())
		if err := conn.PgConn().Exec(ctx, sessionSettings).Close(); err != nil {
			return fmt.Errorf("set up the session: %w", err)
		}
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return pool, nil
}

// Acquire takes one connection out of a pool, for a caller that needs it for longer than one
// statement. Its errors are faults, like those of [DB].
func Acquire(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Conn, error) {
	conn, err := pool.Acquire(ctx)
	return conn, FaultOf(err)
}

// vanished is how long a server may be silent at the level of TCP before its
// connections are given up: its machine has gone, or the way to it. A Postgres that is
// only slow keeps its connections, because its machine still answers.
const vanished = 20 * time.Second

var dialer = &net.Dialer{
	KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: vanished / 2, Interval: vanished / 4, Count: 2},
	Control:         boundUnacknowledged,
}

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
