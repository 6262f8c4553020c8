package embedded_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
)

// starter is the environment variable that turns this test binary into a program that
// starts a cluster in a directory and waits to be killed.
const starter = "FRONTDESK_EMBEDDED_STARTER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(starter); dir != "" {
		startAndWait(dir)
	}
	os.Exit(m.Run())
}

func startAndWait(dir string) {
	if _, err := embedded.Start(context.Background(), embedded.Config{Dir: dir}); err != nil {
		_, _ = os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString("up\n")
	select {}
}

// starterProcess starts a cluster from a process and process group of its own.
func starterProcess(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), starter+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	answer, _ := bufio.NewReader(out).ReadString('\n')
	if answer != "up\n" {
		t.Fatalf("starter process: %q", answer)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	})
	return cmd
}

// open is a directory that every user can traverse; clusters that a test leaves in it
// are removed.
func open(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(postgrestest.Scratch(), "embedded-") //nolint:usetesting // t.TempDir is on disk, and closed to the user that runs Postgres for root
	must(t, err)
	must(t, os.Chmod(dir, 0o711))
	removeAfter(t, dir)
	return dir
}

func removeAfter(t *testing.T, dir string) {
	t.Helper()
	t.Cleanup(func() {
		if err := embedded.Remove(context.Background(), dir); err != nil && !errors.Is(err, embedded.ErrForeign) {
			t.Error(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
}

func start(t *testing.T, c embedded.Config) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(t.Context(), c)
	must(t, err)
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *embedded.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// ask runs a query in the cluster's own database and returns its one value.
func ask(t *testing.T, s *embedded.Server, sql string) (answer string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL("postgres", embedded.Superuser))
	must(t, err)
	defer conn.Close(t.Context())
	must(t, conn.QueryRow(t.Context(), sql).Scan(&answer))
	return answer
}

func write(t *testing.T, s *embedded.Server) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL("postgres", embedded.Superuser))
	must(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `CREATE TABLE written (what text); INSERT INTO written VALUES ('kept')`)
	must(t, err)
}

func wantWritten(t *testing.T, s *embedded.Server) {
	t.Helper()
	if got := ask(t, s, `SELECT what FROM written`); got != "kept" {
		t.Errorf("read %q, want the row written before", got)
	}
}

func wantEmpty(t *testing.T, s *embedded.Server) {
	t.Helper()
	if got := ask(t, s, `SELECT count(*)::text FROM pg_class WHERE relname = 'written'`); got != "0" {
		t.Error("the cluster still holds the old data")
	}
}

// pid is the postmaster's process number.
func pid(t *testing.T, dir string) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
	must(t, err)
	pid, err := strconv.Atoi(strings.SplitN(string(content), "\n", 2)[0])
	must(t, err)
	return pid
}

// kill sends SIGKILL to a process, or to a group if the number is negative.
func kill(t *testing.T, pid int, signal syscall.Signal) {
	t.Helper()
	must(t, syscall.Kill(pid, signal))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
