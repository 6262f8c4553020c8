//go:build prove

package main_test

import (
	"context"
	"fmt"

	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"
)

// Each of these brings the real program's real database into a temporary state, while clients
// submit, read and look at pages. In every state, every answer is 200, or 503 with
// Retry-After in the contract's form; every 200 is in the log once; and the program recovers
// automatically.

const frozenFor = 25 * time.Second

// A read never notices a restart that takes less than two seconds.
func TestProveThatReadsOutlastADatabaseRestart_D48(t *testing.T) { //nolint:paralleltest // it measures
	s := newTrial(t, t.TempDir())
	restarts := provetest.Pick(1, 5)
	for range restarts {
		before, began := s.counts("read"), clock.Start()
		s.signal(syscall.SIGINT) // a fast shutdown
		<-s.postgres.Done()
		s.must(s.postgres.Restart(t.Context()))
		absence := began.Elapsed()
		s.serves()
		refused := s.counts("read").refused - before.refused
		t.Logf("Postgres was away for %s: %d reads were refused", absence.Round(time.Millisecond), refused)
		if refused > 0 && absence < 2*time.Second {
			t.Errorf("%d reads were refused while Postgres was away for %s", refused, absence)
		}
	}
	s.end()
	provetest.Tried(t, restarts, "restarts")
}

func TestProveThatAKilledDatabaseLosesNothing_D48(t *testing.T) { //nolint:paralleltest // it measures
	s := newTrial(t, t.TempDir())
	kills := provetest.Pick(1, 5)
	for range kills {
		s.signal(syscall.SIGKILL, s.halted()...)
		<-s.postgres.Done()
		s.must(s.postgres.Restart(t.Context()))
		s.serves()
	}
	s.end()
	provetest.Tried(t, kills, "kills")
}

func TestProveThatAFrozenDatabaseIsAnswered_D48(t *testing.T) { //nolint:paralleltest // it measures
	s := newTrial(t, t.TempDir())
	s.forget() // how long calls took before
	others := s.upload()
	processes := s.halted()
	s.signal(syscall.SIGSTOP, processes...)
	others = append(others, s.everywhere()...)
	var group sync.WaitGroup
	for _, call := range others {
		group.Go(call)
	}
	began, checks, unready := clock.Start(), 0, 0
	for began.Elapsed() < frozenFor {
		if asked := clock.Start(); !testworld.Answers(s.private + "/readyz") {
			unready++
		} else if took := asked.Elapsed(); took > 5*time.Second {
			t.Errorf("readiness took %s", took)
		}
		checks++
	}
	group.Wait()
	s.signal(syscall.SIGCONT, processes...)
	if unready != checks-2 {
		t.Errorf("readiness failed %d of %d checks, want all but two", unready, checks)
	}
	s.serves()
	for _, kind := range []string{"append", "read", "page", "upload", "other"} {
		if found := s.counts(kind); found.slowest > slowest || found.refused == 0 {
			t.Errorf("%s: %d were refused, the slowest after %s", kind, found.refused, found.slowest)
		}
	}
	s.end()
	provetest.Tried(t, len(processes), "processes frozen")
}

func TestProveThatReadOnlyDatabaseAnswersReads_D48(t *testing.T) { //nolint:paralleltest // it measures
	s := newTrial(t, t.TempDir())
	before := s.counts("read")
	s.ask(`ALTER SYSTEM SET default_transaction_read_only = on`)
	s.ask(`SELECT pg_reload_conf()`)
	s.refuses("append", 200)
	waitFor(t, func() bool { return !testworld.Answers(s.private + "/readyz") })
	s.ask(`ALTER SYSTEM RESET default_transaction_read_only`)
	s.ask(`SELECT pg_reload_conf()`)
	s.serves()
	if refused := s.counts("read").refused - before.refused; refused > 0 {
		t.Errorf("%d reads were refused, and they change nothing", refused)
	}
	s.end()
	provetest.Tried(t, s.counts("append").refused, "appends refused")
}

// A stranger takes every connection that the server has.
func TestProveThatExhaustedConnectionsAreReported_D48(t *testing.T) { //nolint:paralleltest // it measures
	s := newTrial(t, t.TempDir())
	admin, err := pgx.Connect(t.Context(), s.postgres.URL("frontdesk", embedded.Superuser))
	s.must(err)
	defer func() { _ = admin.Close(context.WithoutCancel(t.Context())) }()
	var taken []*pgx.Conn
	refused := func() bool { return s.counts("append").refused > 0 && s.counts("read").refused > 0 }
	for began := clock.Start(); !refused() && began.Elapsed() < 3*time.Minute; {
		conn, err := pgx.Connect(t.Context(), s.postgres.URL("frontdesk", postgres.AppRole))
		if err == nil {
			taken = append(taken, conn)
			continue
		}
		_, err = admin.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'frontdesk%'`)
		s.must(err)
	}
	if !refused() {
		t.Error("no append or no read was refused within three minutes")
	}
	for _, conn := range taken {
		_ = conn.Close(t.Context())
	}
	t.Logf("a stranger had %d connections", len(taken))
	s.serves()
	s.end()
	provetest.Tried(t, len(taken), "connections taken")
}

// The data directory is a file system in memory of a limited size, which is filled up.
// To mount one takes root.
func TestProveThatAFullDiskLosesNothing_D48(t *testing.T) { //nolint:paralleltest // it measures
	dir, err := os.MkdirTemp("", "frontdesk-full-") //nolint:usetesting // root runs Postgres as a user who cannot enter t.TempDir
	if err == nil {
		err = syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=400m,mode=0711")
	}
	if err != nil {
		t.Fatalf("mount a file system in memory (this takes root): %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
		_ = os.Remove(dir)
	})
	s := newTrial(t, dir)
	if data, err := filepath.EvalSymlinks(s.data); err != nil || filepath.Dir(data) != dir {
		t.Fatalf("the data is in %s (%v), which is not the small file system", data, err)
	}
	times := provetest.Pick(1, 3)
	for range times {
		ballast := fill(t, filepath.Join(dir, "ballast"))
		s.refuses("append", 200)
		s.must(os.Remove(ballast))
		s.must(s.postgres.Restart(t.Context())) // does nothing unless Postgres has given up
		s.serves()
	}
	s.end()
	provetest.Tried(t, times, "full disks")
}

// fill writes a file until its file system is full.
func fill(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for err == nil {
		_, err = file.Write(make([]byte, 4096))
	}
	return path
}

// ask runs a statement as the cluster's owner.
func (s *trial) ask(sql string) {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.postgres.URL("frontdesk", embedded.Superuser))
	s.must(err)
	defer func() { _ = conn.Close(context.WithoutCancel(s.t.Context())) }()
	_, err = conn.Exec(s.t.Context(), sql)
	s.must(err)
}

// signal sends a signal to the postmaster and to the other processes.
func (s *trial) signal(which syscall.Signal, others ...int) {
	s.t.Helper()
	s.must(syscall.Kill(s.postmaster(), which))
	for _, pid := range others {
		_ = syscall.Kill(pid, which) // it may have ended
	}
}

// halted stops the postmaster, so that it starts no more processes, and returns those that it
// has started.
func (s *trial) halted() (pids []int) {
	s.t.Helper()
	s.signal(syscall.SIGSTOP)
	of := s.postmaster()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	s.must(err)
	for _, stat := range stats {
		text, _ := os.ReadFile(stat) // it may have ended
		var pid, parent int
		var name, state string
		if _, err := fmt.Sscanf(string(text), "%d %s %s %d", &pid, &name, &state, &parent); err == nil && parent == of {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (s *trial) postmaster() (pid int) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.data, "postmaster.pid"))
	s.must(err)
	_, err = fmt.Sscan(string(text), &pid)
	s.must(err)
	return pid
}

// refuses waits until that many more calls of a kind have been refused.
func (s *trial) refuses(kind string, more int) {
	s.t.Helper()
	before := s.counts(kind).refused
	waitFor(s.t, func() bool { return s.counts(kind).refused >= before+more })
}

// serves waits until calls of all kinds are answered 200 again, and the program is ready.
func (s *trial) serves() {
	s.t.Helper()
	before := map[string]counts{}
	for _, kind := range []string{"append", "read", "page"} {
		before[kind] = s.counts(kind)
	}
	for kind, was := range before {
		waitFor(s.t, func() bool { return s.counts(kind).served >= was.served+100 })
	}
	waitFor(s.t, func() bool { return testworld.Answers(s.private + "/readyz") })
}
