package postgres_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
)

// link is a proxy between a pool and Postgres that can cut the connection.
type link struct {
	pool *pgxpool.Pool
	to   string // Postgres's own socket

	mu      sync.Mutex
	state   state
	refused int // connections
	open    map[net.Conn]bool
	relays  sync.WaitGroup
}

type state int

const (
	whole  state = iota
	gone         // every connection is cut, and new ones are refused
	frozen       // connections are made, and nothing passes
	mute         // the next connection that has an answer is cut in place of it; then the link is whole
)

func newLink(t *testing.T, db *postgrestest.Database) *link {
	t.Helper()
	config, err := pgx.ParseConfig(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	l := &link{to: filepath.Join(config.Host, ".s.PGSQL.5432"), open: map[net.Conn]bool{}}
	l.relays.Go(func() { l.accept(listener) })
	address := url.URL{Scheme: "postgres", User: url.User(config.User), Path: "/" + config.Database, RawQuery: url.Values{"host": {dir}}.Encode()}
	if l.pool, err = postgres.NewPool(context.WithoutCancel(t.Context()), address.String(), 8); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.set(gone)
		_ = listener.Close()
		l.relays.Wait()
		l.pool.Close()
	})
	return l
}

// set changes the state. Only frozen leaves the connections as they are.
func (l *link) set(to state) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = to
	for conn := range l.open {
		if to == gone {
			_ = conn.Close()
		}
	}
}

func (l *link) current() state {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

// loses reports whether the answer that has come is the one that a mute link loses.
func (l *link) loses() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != mute {
		return false
	}
	l.state = whole
	return true
}

func (l *link) refusals() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused
}

func (l *link) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := (&net.Dialer{}).DialContext(context.Background(), "unix", l.to)
		if err != nil || !l.admit(client, server) {
			_ = client.Close()
			continue
		}
		l.relays.Go(func() { l.relay(server, client, false) })
		l.relays.Go(func() { l.relay(client, server, true) })
	}
}

func (l *link) admit(client, server net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == gone {
		l.refused++
		_ = server.Close()
		return false
	}
	l.open[client], l.open[server] = true, true
	return true
}

// relay copies bytes, as far as the state lets it.
func (l *link) relay(to, from net.Conn, answers bool) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if err != nil || answers && l.loses() {
			return
		}
		if l.current() == frozen {
			_, _ = io.Copy(io.Discard, from)
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
