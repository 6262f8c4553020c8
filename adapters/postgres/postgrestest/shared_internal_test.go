package postgrestest

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"testing"

	"frontdesk/adapters/durable"
	"time"
)

const joiner = "FRONTDESK_TEST_JOINER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(joiner); dir != "" {
		joinAndWait(place{dir, 0})
	}
	os.Exit(m.Run())
}

// joinAndWait is another test process: it joins, prints the cluster's identity and
// lives until it is killed.
func joinAndWait(p place) {
	s, err := p.join(context.Background())
	if err != nil {
		_, _ = os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString(s.since() + "\n")
	select {}
}

// since identifies one run of a postmaster.
func (s *shared) since() (since string) {
	if err := s.admin.QueryRow(context.Background(), `SELECT pg_postmaster_start_time()::text`).Scan(&since); err != nil {
		return err.Error()
	}
	return since
}

func TestProcessesShareOneCluster(t *testing.T) {
	t.Parallel()
	p := place{dir: emptyDir(t)}
	one, first := process(t, p)
	two, second := process(t, p)
	if first != second {
		t.Errorf("one process has the cluster of %s, another one of %s", first, second)
	}
	kill(t, one)
	if p.alone() {
		t.Error("the one that is left counts for nothing")
	}
	_, third := process(t, p) // joins while the cluster is up
	if third != first {
		t.Errorf("a later process has the cluster of %s, want that of %s", third, first)
	}
	kill(t, two)
}

func TestUnusedClusterIsRemoved(t *testing.T) {
	t.Parallel()
	p := place{dir: emptyDir(t)}
	user, since := process(t, p)
	kill(t, user)
	awaitWatchdog(t, p)
	if _, err := os.Stat(p.dir + "/postgres"); !os.IsNotExist(err) {
		t.Errorf("the data is still there: %v", err)
	}
	if _, later := process(t, p); later == since {
		t.Error("the next process has the cluster that was stopped")
	}
}

// process runs joinAndWait in a process, which is killed after the test.
func process(t *testing.T, p place) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), os.Args[0])
	cmd.Env = append(os.Environ(), joiner+"="+p.dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(t, cmd) })
	answer, err := bufio.NewReader(out).ReadString('\n')
	if _, bad := time.Parse("2006-01-02 15:04:05.999999-07\n", answer); err != nil || bad != nil {
		t.Fatalf("joining: %v, %q", err, answer)
	}
	return cmd, answer
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	_ = cmd.Process.Kill() // it may have ended already
	_ = cmd.Wait()
}

func awaitWatchdog(t *testing.T, p place) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	f, err := lock(ctx, p.watchdog(), durable.Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// emptyDir is removed after the last watchdog has ended.
func emptyDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() { awaitWatchdog(t, place{dir: dir}) })
	return dir
}
