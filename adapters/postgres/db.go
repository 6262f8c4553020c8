package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/projections"
)

const connectLimit = 10 * time.Second

// NewPool is a pool of at most so many connections to url; 0 leaves the number
// to url or to pgx. It connects when somebody needs a connection.
func NewPool(ctx context.Context, url string, connections int32) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	if connections > 0 {
		config.MaxConns = connections
	}
	config.ConnConfig.ConnectTimeout = connectLimit
	config.ConnConfig.RuntimeParams["application_name"] = "frontdesk"
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

// Acquire takes one connection out of a pool, for who needs it for longer. Its
// error is a fault, as those of a [DB] are.
func Acquire(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Conn, error) {
	conn, err := pool.Acquire(ctx)
	return conn, faultOf(err)
}

// Conn is a pool, or one connection of it.
type Conn interface {
	projections.Querier
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// DB is the one way to ask the database on somebody's behalf. Its errors are
// the faults that they stand for: [ErrUnavailable], [event.ErrConflict] or the
// refusal of what is taken. All others are what pgx returns.
type DB struct{ conn Conn }

// On asks through a pool or a connection.
func On(conn Conn) DB { return DB{conn} }

// Query asks for rows, whose Err is a fault, too.
func (d DB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	found, err := d.conn.Query(ctx, sql, args...)
	return rows{found}, faultOf(err)
}

// QueryRow asks for one row. Its Scan returns [pgx.ErrNoRows] if there is none.
func (d DB) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return row{d.conn.QueryRow(ctx, sql, args...)}
}

// Exec changes something, and says how many rows.
func (d DB) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	done, err := d.conn.Exec(ctx, sql, args...)
	return done, faultOf(err)
}

// ExecBatch sends all statements of a batch in one round trip and one implicit
// transaction.
func (d DB) ExecBatch(ctx context.Context, batch *pgx.Batch) error {
	return faultOf(d.conn.SendBatch(ctx, batch).Close())
}

// InTx does something in a transaction, which is rolled back if it fails.
func (d DB) InTx(ctx context.Context, options pgx.TxOptions, do func(pgx.Tx) error) error {
	return faultOf(pgx.BeginTxFunc(ctx, d.conn, options, do))
}

type rows struct{ pgx.Rows }

// Err says why there are no more rows; nil if that was all.
func (r rows) Err() error { return faultOf(r.Rows.Err()) }

type row struct{ pgx.Row }

// Scan reads the row.
func (r row) Scan(into ...any) error { return faultOf(r.Row.Scan(into...)) }
