package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/background"
)

// run returns when the cluster answers. It adopts a live postmaster, or starts one, and
// retries until the time limit: the old one may just be ending, and the new one may
// stumble over its remains.
func (s *Server) run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for adopted := true; ; adopted = false {
		if p, ok := runningIn(s.home.data); ok {
			err := s.await(ctx, p)
			if err == nil {
				s.log.InfoContext(ctx, "Postgres is up", slog.Int("pid", p.pid), slog.Bool("adopted", adopted))
				s.running = s.watch(p)
				return nil
			}
			if !errors.Is(err, errEnded) {
				return err
			}
		}
		if err := s.launch(ctx); err != nil {
			return err
		}
	}
}

// errEnded: a postmaster ended before it answered.
var errEnded = errors.New("postmaster ended")

// patience is how long a running postmaster may take to answer.
const patience = 5 * time.Second

// await returns when the postmaster answers, or has ended. It stops one that has lost
// its socket, so that another can replace it.
func (s *Server) await(ctx context.Context, p postmaster) error {
	for waited := time.Duration(0); ; waited += pollEvery {
		err := s.ping(ctx)
		switch {
		case err == nil:
			return nil
		case p.gone():
			return errEnded
		case waited > patience && !busy(err):
			s.log.WarnContext(ctx, "Postgres does not answer: stopping it", slog.Int("pid", p.pid))
			return firstError(p.endAtOnce(), errEnded)
		}
		if !background.Sleep(ctx, pollEvery) {
			return fmt.Errorf("process %d does not answer: %w", p.pid, err)
		}
	}
}

func (s *Server) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := pgconn.Connect(ctx, s.URL("postgres", Superuser))
	if err == nil {
		return conn.Close(ctx)
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code != cannotConnectNow {
		return nil // it is alive; it may have too many clients, for example
	}
	return err
}

// cannotConnectNow is the error code while Postgres starts up, recovers or shuts down.
const cannotConnectNow = "57P03"

func busy(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.Code == cannotConnectNow
}

// launch starts a postmaster if none is running. It creates the cluster if there is
// none.
func (s *Server) launch(ctx context.Context) error {
	if err := s.clear(ctx); err != nil {
		return err
	}
	if err := s.ensureCluster(ctx); err != nil {
		return err
	}
	if err := s.home.makeSocketDir(s.socket); err != nil {
		return err
	}
	if err := s.configure(); err != nil {
		return err
	}
	return s.pgctl(ctx)
}

func (s *Server) ensureCluster(ctx context.Context) error {
	major, err := s.home.version()
	if err != nil || major != 0 {
		return err
	}
	return s.initialise(ctx)
}

// clear removes the files of a dead postmaster. Postgres would stumble over its lock
// files if another program has its process number by now.
func (s *Server) clear(ctx context.Context) error {
	if err := clearSocket(ctx, s.socket); err != nil {
		return err
	}
	pidFile := filepath.Join(s.home.data, "postmaster.pid")
	if _, err := os.Lstat(pidFile); err == nil && s.config.Volatile {
		return s.home.remove(ctx)
	}
	return removeFile(pidFile)
}

// pgctl starts the postmaster and waits until it is ready. Sessions of a killed
// postmaster that are still ending block it for a moment.
func (s *Server) pgctl(ctx context.Context) error {
	log := s.logFile()
	bound(log)
	for {
		from := size(log)
		cmd := s.home.account.command(ctx, "/", s.install.program("pg_ctl"), "start", "--silent", "--wait",
			"--timeout", strconv.Itoa(int(startWithin.Seconds())), "--pgdata", s.home.data, "--log", log,
			"--options", "-c logging_collector=off -c log_destination=stderr") // overrides its configuration files
		out, err := cmd.CombinedOutput()
		if err == nil {
			return nil
		}
		why := complaint(append(out, tail(log, from)...), err)
		if !strings.Contains(why, "shared memory block") || !background.Sleep(ctx, pollEvery) {
			return fmt.Errorf("%s (its log is %s)", why, log)
		}
	}
}
