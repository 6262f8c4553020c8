package replay_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/replay"
	"frontdesk/projections"
)

// lent is a pooler's connection: it reports another backend.
type lent struct{ net.Conn }

func (l lent) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	const message, pid = "K\x00\x00\x00\x0c", 4 // BackendKeyData, and how long its process id is
	if _, after, found := bytes.Cut(p[:n], []byte(message)); found && len(after) >= pid {
		after[pid-1] ^= 1
	}
	return n, err
}

func lentBy(t *testing.T, pool *pgxpool.Pool) *pgxpool.Pool {
	t.Helper()
	config := pool.Config()
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return lent{conn}, err
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// Temporary tables would stay on a pooler's connection and hide the live ones, so the
// next user of the connection would get decisions from the past.
func TestThePastIsNotMadeOnALentConnection(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.drain(t)
	pool := lentBy(t, s.auditor(t))
	past, err := (&replay.Replay{
		Pool: pool, Log: eventstore.Log{Codec: s.codec}, Keys: s.keys, Schema: replay.Temporary, Projections: projections.AtOnce(),
	}).Run(t.Context())
	if err == nil {
		past.Close()
	}
	if !errors.Is(err, replay.ErrPooled) {
		t.Errorf("the past is made on a lent connection: %v", err)
	}
	var left int
	if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_class WHERE relpersistence = 't'`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d temporary tables are left on it, %v", left, err)
	}
}
