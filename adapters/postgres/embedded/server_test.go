package embedded_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/durable"
	"frontdesk/adapters/postgres/embedded"
)

func TestAClusterIsPrivateAndDurable(t *testing.T) {
	t.Parallel()
	s := start(t, embedded.Config{Dir: open(t)})
	for setting, want := range map[string]string{
		"server_encoding": "UTF8", "data_checksums": "on", "listen_addresses": "", "unix_socket_permissions": "0700",
		"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "max_connections": "100",
	} {
		if got := ask(t, s, "SHOW "+setting); got != want {
			t.Errorf("%s is %q, want %q", setting, got, want)
		}
	}
	if got := ask(t, s, "SELECT datcollate FROM pg_database WHERE datname = current_database()"); got != "C" && got != "C.UTF-8" {
		t.Errorf("text sorts by %q, want by code point", got)
	}
	socket, err := os.Stat(ask(t, s, "SHOW unix_socket_directories"))
	if err != nil || socket.Mode().Perm() != 0o700 {
		t.Errorf("the socket's directory is %v (%v), want it closed to others", socket, err)
	}
	// libpq reads the URL too.
	dump := filepath.Join(ask(t, s, `SELECT setting FROM pg_config WHERE name = 'BINDIR'`), "pg_dump")
	if out, err := exec.CommandContext(t.Context(), dump, s.URL("postgres", embedded.Superuser)).CombinedOutput(); err != nil {
		t.Errorf("pg_dump: %v: %s", err, out)
	}
}

func TestADatabaseIsMadeOnce(t *testing.T) {
	t.Parallel()
	s := start(t, embedded.Config{Dir: open(t), Volatile: true})
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			if err := s.EnsureDatabase(t.Context(), `front"desk`); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	conn, err := pgx.Connect(t.Context(), s.URL(`front"desk`, embedded.Superuser))
	must(t, err)
	must(t, conn.Close(t.Context()))
}

func TestOneServerOwnsACluster(t *testing.T) {
	t.Parallel()
	config := embedded.Config{Dir: open(t), Volatile: true}
	servers, refusals := make(chan *embedded.Server, 2), make(chan error, 2)
	var starters sync.WaitGroup
	for range 2 {
		starters.Go(func() {
			if s, err := embedded.Start(t.Context(), config); err != nil {
				refusals <- err
			} else {
				servers <- s
			}
		})
	}
	starters.Wait()
	if len(servers) != 1 {
		t.Fatalf("%d of two starts at once won, want 1: %v", len(servers), <-refusals)
	}
	if err := <-refusals; !errors.Is(err, durable.ErrInUse) {
		t.Errorf("the other one says %v, want ErrInUse", err)
	}
	holder := "process " + strconv.Itoa(os.Getpid())
	if err := embedded.Remove(t.Context(), config.Dir); !errors.Is(err, durable.ErrInUse) || !strings.Contains(err.Error(), holder) {
		t.Errorf("Remove says %v, want ErrInUse and %s", err, holder)
	}

	// After Detach the next one can adopt it, by any path.
	first := <-servers
	running := pid(t, config.Dir)
	first.Detach()
	first.Detach() // again: does nothing
	config.Dir = linkTo(t, config.Dir)
	second := start(t, config)
	if got := pid(t, config.Dir); got != running {
		t.Errorf("postmaster %d runs, want %d to be adopted", got, running)
	}
	select {
	case <-first.Done():
		t.Error("the first server says that the postmaster has ended")
	default:
	}
	stop(t, second)
	stop(t, second) // again: does nothing
	<-second.Done()
	if err := second.Restart(t.Context()); err == nil {
		t.Error("a stopped server was restarted")
	}
}

func linkTo(t *testing.T, dir string) string {
	t.Helper()
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir, link))
	return link
}
