//go:build prove

package trouble_test

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
)

// wires are the connections of a process, to Postgres and to receivers. A killed process
// loses all of them at once; bytes that it had sent are in transit.
type wires struct {
	mu   sync.Mutex
	dead bool
	open map[net.Conn]bool
}

type dialing = func(ctx context.Context, network, address string) (net.Conn, error)

// through dials as dial does, as long as the wires are not dead.
func (w *wires) through(dial dialing) dialing {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.dead {
			_ = conn.Close()
			return nil, net.ErrClosed
		}
		if w.open == nil {
			w.open = map[net.Conn]bool{}
		}
		wire := &wire{conn, w}
		w.open[wire] = true
		return wire, nil
	}
}

// cut ends all connections. After a final cut there are no new ones.
func (w *wires) cut(forGood bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dead = w.dead || forGood
	for conn := range w.open {
		_ = conn.(*wire).Conn.Close()
	}
	clear(w.open)
}

// wire is a connection that its wires forget when it is closed.
type wire struct {
	net.Conn
	of *wires
}

// Close closes the connection.
func (c *wire) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// pool is a pool of the serving role whose connections are these wires.
func (w *wires) pool(t testing.TB, url, name string) *pgxpool.Pool {
	t.Helper()
	model, err := postgres.NewPool(context.Background(), url, 24)
	must(t, err)
	defer model.Close()
	config := model.Config()
	config.ConnConfig.DialFunc = w.through(config.ConnConfig.DialFunc)
	config.ConnConfig.RuntimeParams["application_name"] = name
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	must(t, err)
	return pool
}
