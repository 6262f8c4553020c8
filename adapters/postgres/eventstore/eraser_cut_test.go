package eventstore_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/projections"
)

// A connection that fails at any statement leaves all of an erasure or nothing.
func TestAnErasureIsDoneOrNotBegun_D70(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	for n := 1; ; n++ {
		ann := w.register(t)
		w.do(t, w.processes[0].ask(t.Context(), ann))
		confirm := w.askFor(t, ann)
		failing, broke := w.failing(t, db, n)
		err := failing.desk.ConfirmErasure(operatedBy(t.Context(), "bob"), confirm)
		var keys, rows, erased int // in one snapshot: a commit whose answer is lost may still be under way
		w.do(t, w.super.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM personal_keys WHERE holder = $1 OR patient = $1),
			(SELECT count(*) FROM record_entries WHERE patient = $1), (SELECT count(*) FROM erasures WHERE holder = $1)
				+ (SELECT count(*) FROM events WHERE patient = $1 AND name = 'patient.erased.v1')`, ann).Scan(&keys, &rows, &erased))
		if done, notBegun := keys+rows == 0 && erased == 2, keys == 2 && rows == 3 && erased == 0; !done && !notBegun {
			t.Fatalf("cut off at message %d: %d keys, %d rows, erased %d; %v", n, keys, rows, erased, err)
		}
		if err == nil && erased == 0 {
			t.Fatalf("cut off at message %d: it is said to be done", n)
		}
		w.do(t, w.processes[1].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), confirm)) // and then it is
		w.wantNothingLate(t, ann)
		if !broke() {
			if n < 10 {
				t.Errorf("only %d messages were sent", n)
			}
			return
		}
	}
}

// failing returns a process whose connection is cut off: before the n-th message is sent, in
// the middle of it, or before it is answered. The function reports whether it was.
func (w *ward) failing(t *testing.T, db *postgrestest.Database, n int) (*process, func() bool) {
	t.Helper()
	config, err := pgxpool.ParseConfig(db.URL)
	w.do(t, err)
	config.MaxConns = 1
	cut := &cutOff{}
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return &cutConn{conn, cut}, err
	}
	pool, err := pgxpool.NewWithConfig(context.WithoutCancel(t.Context()), config)
	w.do(t, err)
	t.Cleanup(pool.Close)
	w.do(t, pool.Ping(t.Context()))
	p := *w.processes[0]
	p.store = &eventstore.Store{DB: postgres.On(pool), Codec: p.codec, Keys: p.keys, AtOnce: projections.AtOnce(), Now: w.clock.Now}
	p.desk.Store, p.desk.Erasures = p.store, eventstore.Eraser{Erasures: projections.Erasures{DB: pool}, Store: p.store}
	cut.left.Store(int64(n))
	return &p, func() bool { return cut.left.Load() <= 0 }
}

// cutOff counts down; before it is set, it cuts no connection.
type cutOff struct{ left atomic.Int64 }

type cutConn struct {
	net.Conn
	cut *cutOff
}

// Write counts three for each message, so that each is cut off in each of three ways.
func (c *cutConn) Write(message []byte) (int, error) {
	left := c.cut.left.Load()
	if left <= 0 {
		return c.Conn.Write(message)
	}
	if c.cut.left.Add(-3) > 0 {
		return c.Conn.Write(message)
	}
	sent := message[:len(message)*int(left-1)/2]
	if _, err := c.Conn.Write(sent); err != nil {
		return 0, err
	}
	_ = c.Close()
	return len(message), nil
}
