package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/durable"
)

// Server is a running cluster that this process owns. It is safe for concurrent
// use.
type Server struct {
	config  Config
	log     *slog.Logger
	home    home
	install installation
	socket  string        // the directory of the socket
	lock    *durable.Lock // held until Stop or Detach

	mu      sync.Mutex // held while the postmaster is started, stopped or detached
	running *watched
	left    bool // stopped or detached for good
}

// startWithin limits a start, including crash recovery.
const startWithin = 2 * time.Minute

var errWindows = errors.New("frontdesk runs no Postgres on Windows: use WSL")

// supported returns an error for a system that frontdesk runs no Postgres on.
func supported(system string) error {
	if system == "windows" {
		return errWindows
	}
	return nil
}

// Start runs the cluster of c.Dir and returns when it answers. The first start creates
// the cluster. A later one adopts the postmaster if it is still running, or starts
// another on the data of a dead one.
//
// It fails with [ErrNoPostgres] if the machine has no binaries, and with
// [durable.ErrInUse] while another Server owns the cluster. Every error is one line
// with the fix.
func Start(ctx context.Context, c Config) (*Server, error) {
	if err := supported(runtime.GOOS); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	s := &Server{config: c, log: c.Log.With(slog.String("dir", c.Dir))}
	if err := s.start(ctx); err != nil {
		s.unlock()
		if errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%w: choose a directory that you may write to", err)
		}
		return nil, fmt.Errorf("start Postgres in %s: %w", c.Dir, err)
	}
	return s, nil
}

func (s *Server) start(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	return s.run(ctx)
}

// prepare determines everything that is constant for the life of the Server.
func (s *Server) prepare(ctx context.Context) (err error) {
	if s.home, err = open(s.config.Dir); err != nil {
		return err
	}
	if s.lock, err = durable.Hold(s.home.lockFile(), os.O_CREATE); err != nil {
		return err
	}
	wanted, err := s.home.version()
	if err != nil {
		return err
	}
	if s.install, err = choose(s.config.installations(ctx), wanted); err != nil {
		return err
	}
	program := s.install.program("postgres")
	if err := s.home.settle(ctx, program); err != nil {
		return err
	}
	if p, ok := runningIn(s.home.data); ok && p.socket != "" {
		s.socket = p.socket // TMPDIR may have been different when it was started
		return nil
	}
	s.socket, err = s.home.socketDir(ctx, program)
	return err
}

// URL is the connection string of a database and a role, for pgx and for libpq.
// Restarts do not change it.
func (s *Server) URL(database, role string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(role),
		Path:     "/" + database,
		RawQuery: url.Values{"host": {s.socket}, "port": {port}}.Encode(),
	}
	return u.String()
}

// EnsureDatabase creates a database, owned by [Owner], unless it exists. It may be
// called many times, even concurrently.
func (s *Server) EnsureDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres", Superuser))
	if err != nil {
		return fmt.Errorf("connect to create database: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, createOwner); err != nil {
		return fmt.Errorf("create role %s: %w", Owner, err)
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" OWNER "+Owner)
	if err != nil && !exists(err) {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	return nil
}

// createOwner does nothing if the role exists, or is being created by another process.
const createOwner = `DO $$ BEGIN
    CREATE ROLE ` + Owner + ` LOGIN IN ROLE pg_read_all_stats;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$`

// exists reports whether an error means that the database exists, or was just created
// by another process.
func exists(err error) bool {
	const duplicateDatabase, uniqueViolation = "42P04", "23505"
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (refused.Code == duplicateDatabase || refused.Code == uniqueViolation)
}

// Done is closed when the postmaster has ended, for whatever reason. After a
// [Server.Restart] it is a new channel.
func (s *Server) Done() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running.done
}

// Restart starts the postmaster again after it has died. It does nothing while the
// postmaster is alive.
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left {
		return errors.New("restart Postgres: it was stopped or let go here")
	}
	if !s.running.gone() {
		return nil
	}
	s.running.leave()
	if err := s.run(ctx); err != nil {
		return fmt.Errorf("restart Postgres in %s: %w", s.config.Dir, err)
	}
	return nil
}

// Stop shuts the cluster down, adopted or not. Clients are disconnected and
// their open transactions are rolled back. If ctx ends first, the cluster stops
// at once; that loses nothing, but the next start has to recover. A second Stop
// does nothing.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left {
		return nil
	}
	defer s.leave()
	if !s.running.genuine() {
		return nil
	}
	if err := s.running.end(ctx); err != nil {
		return fmt.Errorf("stop Postgres in %s: %w", s.config.Dir, err)
	}
	s.log.InfoContext(ctx, "Postgres stopped", slog.Int("pid", s.running.pid))
	_ = os.Remove(s.socket) // it is empty, or still needed
	return nil
}

// Detach releases the cluster without stopping it, so that a later [Start] can adopt
// it.
func (s *Server) Detach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.left {
		s.leave()
	}
}

func (s *Server) leave() {
	s.left = true
	s.running.leave()
	s.unlock()
}

func (s *Server) unlock() {
	if s.lock != nil {
		_ = s.lock.Close()
		s.lock = nil
	}
}
