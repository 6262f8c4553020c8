package postgres

import (
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/projections"
)

// DB is the one place where errors of the database become faults (D41):
// [ErrUnavailable], [event.ErrConflict], or the refusal of a duplicate. Every other error is
// the one that pgx returns.
//
// Query and QueryRow read and change nothing, because a DB for callers may send them
// again. Changes go through Exec, ExecBatch or InTx, and are sent once (D48).
type DB struct {
	conn   Conn
	pool   *pgxpool.Pool // conn, if callers wait; nil if none do
	outage *outage       // nil if no caller waits
}

// Conn is a pool, or one connection of it.
type Conn interface {
	projections.Querier
	changer
}

// changer is how a Conn changes something.
type changer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// On returns a DB that asks through a pool or a connection, once and without a limit
// of its own, for work that no caller waits for.
func On(conn Conn) DB { return DB{conn: conn} }

// ForCallers returns a DB for work that a caller waits for. It answers everything
// within [CallerLimit], and hides a short outage of the database from its callers.
func ForCallers(pool *pgxpool.Pool) DB { return bridging(pool, bridged) }

func bridging(pool *pgxpool.Pool, short time.Duration) DB {
	return DB{conn: pool, pool: pool, outage: &outage{short: short}}
}

// CallerLimit is the time for each query and each change of a caller, with the wait for a
// connection. It detects a database that is frozen (D48).
const CallerLimit = 10 * time.Second

// Within returns ctx with the limit of this DB.
func (d DB) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	if d.outage == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, CallerLimit)
}

// Query asks for rows. Their Err is also a fault. Read them at once: the limit of a
// DB for callers lasts until they are closed.
func (d DB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	ctx, cancel := d.Within(ctx)
	found := &rows{}
	err := d.outage.bridge(ctx, func() error {
		asked, _ := d.conn.Query(ctx, sql, args...)
		found = &rows{Rows: asked, fetched: asked.Next(), cancel: cancel}
		return found.Err()
	})
	if err != nil {
		cancel()
		return found, err
	}
	d.outage.over()
	return found, nil
}

// QueryRow asks for one row. Its Scan returns [pgx.ErrNoRows] if there is none.
func (d DB) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	found, _ := d.Query(ctx, sql, args...)
	return row{found}
}

// ReadCommitted is the first statement of each change, in the same round trip: a writer
// that has waited for another goes on with the other's rows, under any setting of the
// database or the role. Under a stricter level it would fail, or decide on old rows. It ends
// with its transaction.
const ReadCommitted = `SET transaction_isolation = 'read committed'`

// Exec runs a statement and returns how many rows it changed.
func (d DB) Exec(ctx context.Context, sql string, args ...any) (done pgconn.CommandTag, err error) {
	batch := &pgx.Batch{}
	batch.Queue(sql, args...).Exec(func(tag pgconn.CommandTag) error {
		done = tag
		return nil
	})
	err = d.ExecBatch(ctx, batch)
	return done, err
}

// ExecBatch sends all statements of a batch in one round trip and one implicit
// transaction.
func (d DB) ExecBatch(ctx context.Context, batch *pgx.Batch) error {
	pinned := &pgx.Batch{}
	pinned.Queue(ReadCommitted)
	pinned.QueuedQueries = append(pinned.QueuedQueries, batch.QueuedQueries...)
	return d.change(ctx, func(ctx context.Context, conn changer) error {
		return conn.SendBatch(ctx, pinned).Close()
	})
}

// InTx runs do in a transaction, which is rolled back if do fails. It is READ COMMITTED
// unless the options say otherwise.
func (d DB) InTx(ctx context.Context, options pgx.TxOptions, do func(pgx.Tx) error) error {
	options.IsoLevel = cmp.Or(options.IsoLevel, pgx.ReadCommitted)
	return d.change(ctx, func(ctx context.Context, conn changer) error {
		return pgx.BeginTxFunc(ctx, conn, options, do)
	})
}

// change sends something that may have been committed although its answer is lost, so it is
// never sent again. Only the wait for a connection bridges an outage, because without one
// nothing has been sent.
func (d DB) change(ctx context.Context, send func(context.Context, changer) error) error {
	ctx, cancel := d.Within(ctx)
	defer cancel()
	if d.pool == nil {
		return FaultOf(send(ctx, d.conn))
	}
	var conn *pgxpool.Conn
	err := d.outage.bridge(ctx, func() (err error) {
		conn, err = Acquire(ctx, d.pool)
		return err
	})
	if err != nil {
		return err
	}
	defer conn.Release()
	return FaultOf(send(ctx, conn))
}

// rows are rows whose first one is already fetched. So an error before it is known while the
// query can still be sent again.
type rows struct {
	pgx.Rows
	fetched bool // the first row waits to be taken
	cancel  context.CancelFunc
}

// Next goes to the next row.
func (r *rows) Next() bool {
	if r.fetched {
		r.fetched = false
		return true
	}
	if r.Rows.Next() {
		return true
	}
	r.cancel()
	return false
}

// Close ends the reading.
func (r *rows) Close() {
	r.Rows.Close()
	r.cancel()
}

// Err returns why the rows ended early, and nil if they did not.
func (r *rows) Err() error { return FaultOf(r.Rows.Err()) }

type row struct{ pgx.Rows }

// Scan reads the row into variables.
func (r row) Scan(into ...any) error {
	defer r.Close()
	if !r.Next() {
		if err := r.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	scanned := r.Rows.Scan(into...)
	r.Close()
	return cmp.Or(r.Err(), scanned)
}
