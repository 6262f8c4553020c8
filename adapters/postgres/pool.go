package postgres

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// connectLimit is how long making one connection may take, unless the URL says
// otherwise. It is less than [callerLimit], so that a caller still reaches the second
// host of a URL whose first one is silent.
const connectLimit = 5 * time.Second

// NewPool returns a pool of at most so many connections to url; 0 leaves the
// number to url or to pgx. It connects when somebody needs a connection.
func NewPool(ctx context.Context, url string, connections int32) (*pgxpool.Pool, error) {
	return NewTracedPool(ctx, url, connections, nil, nil)
}

// The sessions of a process say by their application_name how it writes what is personal
// (D75). Those of the release before have the first of these names.
const (
	nameOlder  = "frontdesk"
	nameClear  = "frontdesk clear"
	nameSealed = "frontdesk sealed"
)

// Writing names the sessions of a process. The zero value is one that seals.
type Writing struct{ clear atomic.Bool }

// InClear names sessions that are made from now on as those of a process that writes in
// clear what is personal.
func (w *Writing) InClear() { w.clear.Store(true) }

func (w *Writing) name() string {
	if w != nil && w.clear.Load() {
		return nameClear
	}
	return nameSealed
}

// NewTracedPool is [NewPool] with a tracer, which is told of every statement; nil is
// told of none. Its sessions are named by writing; nil is a process that seals.
func NewTracedPool(ctx context.Context, url string, connections int32, tracer pgx.QueryTracer, writing *Writing) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	if connections > 0 {
		config.MaxConns = connections
	}
	config.ConnConfig.ConnectTimeout = cmp.Or(config.ConnConfig.ConnectTimeout, connectLimit)
	config.ConnConfig.DialFunc = dialer.DialContext
	config.BeforeConnect = func(_ context.Context, conn *pgx.ConnConfig) error {
		conn.RuntimeParams["application_name"] = writing.name()
		return nil
	}
	config.ConnConfig.Tracer = tracer
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		registerIdentifiers(conn.TypeMap())
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return pool, nil
}

// Acquire takes one connection out of a pool, for a caller who needs it for longer
// than one statement. Its errors are faults, as those of [DB] are.
func Acquire(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Conn, error) {
	conn, err := pool.Acquire(ctx)
	return conn, faultOf(err)
}

// vanished is how long a server may be silent at the level of TCP before its
// connections are given up: its machine has gone, or the way to it. A Postgres that is
// only slow keeps its connections, because its machine still answers.
const vanished = 20 * time.Second

var dialer = &net.Dialer{
	KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: vanished / 2, Interval: vanished / 4, Count: 2},
	Control:         boundUnacknowledged,
}

// boundUnacknowledged applies the limit to what has been sent and not acknowledged,
// too. Keep-alive says nothing while such data is under way, and Linux would send it
// again for a quarter of an hour.
func boundUnacknowledged(network, _ string, conn syscall.RawConn) error {
	if runtime.GOOS != "linux" || network == "unix" {
		return nil
	}
	const tcpUserTimeout = 18 // TCP_USER_TIMEOUT, in milliseconds
	var refused error
	err := conn.Control(func(fd uintptr) {
		refused = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(vanished/time.Millisecond))
	})
	return cmp.Or(err, refused)
}
