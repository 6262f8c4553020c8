//go:build prove

package trouble_test

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
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
)

// cluster is a durable Postgres that is made to suffer.
type cluster struct {
	*embedded.Server
	t    *testing.T
	data string     // its directory
	mu   sync.Mutex // held while it is down: one blow at a time
}

// clusterSettings make small losses large: prepared transactions are possible, unflushed
// commits stay unflushed for long, and autovacuum never rests.
var clusterSettings = []string{
	"max_prepared_transactions = 64", "max_connections = 200",
	"wal_writer_delay = '10s'", "wal_buffers = '64kB'", "checkpoint_timeout = '30s'",
	"autovacuum_naptime = '1s'", "autovacuum_vacuum_cost_delay = 0", "autovacuum_vacuum_threshold = 10", "autovacuum_analyze_threshold = 10",
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{Server: postgrestest.Cluster(t), t: t}
	for _, setting := range clusterSettings {
		c.must(`ALTER SYSTEM SET ` + setting)
	}
	c.data = ask[string](c, `SHOW data_directory`)
	must(t, syscall.Kill(c.postmaster(), syscall.SIGINT))
	<-c.Done()
	must(t, c.Restart(t.Context()))
	return c
}

// plainly is a URL whose sessions look at a world without being held up by its settings.
func plainly(url string) string { return url + "&statement_timeout=0&lock_timeout=0&jit=off" }

func (c *cluster) admin() string { return plainly(c.URL("frontdesk", embedded.Superuser)) }

// do has a superuser run a statement, as far as Postgres is there to run it.
func (c *cluster) do(ctx context.Context, statement string, args ...any) error {
	conn, err := pgx.Connect(ctx, c.admin())
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, statement, args...)
	return err
}

// awake waits until Postgres answers: it may be recovering.
func (c *cluster) awake() {
	c.t.Helper()
	for began := clock.Start(); ; wait(c.t.Context(), 20*time.Millisecond) {
		err := c.do(c.t.Context(), `SELECT`)
		if err == nil {
			return
		}
		if began.Elapsed() > longest {
			c.t.Fatalf("Postgres does not recover: %v", err)
		}
	}
}

func (c *cluster) must(statement string, args ...any) {
	c.t.Helper()
	must(c.t, c.do(c.t.Context(), statement, args...))
}

// ask has a superuser ask for one value.
func ask[T any](c *cluster, question string, args ...any) (answer T) {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), c.admin())
	must(c.t, err)
	defer conn.Close(context.WithoutCancel(c.t.Context()))
	must(c.t, conn.QueryRow(c.t.Context(), question, args...).Scan(&answer))
	return answer
}

// crash kills the postmaster and all of its processes with SIGKILL, and starts Postgres again
// after a while. Its writes survive, in the kernel's memory at least.
func (c *cluster) crash(ctx context.Context, away time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kill(c.halt(0))
	return c.restartAfter(ctx, away)
}

// kill ends all processes of a halted cluster.
func (c *cluster) kill(halted []int) {
	for _, pid := range halted {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	<-c.Done()
}

func (c *cluster) restartAfter(ctx context.Context, away time.Duration) error {
	wait(ctx, away)
	err := c.Restart(context.WithoutCancel(ctx))
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(c.data, "postgres.log"))
		c.t.Errorf("Postgres does not come up again: %v\n%s", err, log[max(0, len(log)-4000):])
	}
	return err
}

// halt stops the postmaster, so that it starts no more processes, and then all of its
// processes except one. It returns all of them, the postmaster first.
func (c *cluster) halt(but int) (pids []int) {
	pids = append(pids, c.postmaster())
	_ = syscall.Kill(pids[0], syscall.SIGSTOP)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		text, _ := os.ReadFile(stat) // it may have ended
		var pid, parent int
		var name, state string
		if _, err := fmt.Sscanf(string(text), "%d %s %s %d", &pid, &name, &state, &parent); err != nil || parent != pids[0] {
			continue
		}
		pids = append(pids, pid)
		if pid != but {
			_ = syscall.Kill(pid, syscall.SIGSTOP)
		}
	}
	return pids
}

func (c *cluster) resume(halted []int) {
	for _, pid := range halted {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
}

func (c *cluster) postmaster() (pid int) {
	text, err := os.ReadFile(filepath.Join(c.data, "postmaster.pid"))
	if err == nil {
		_, err = fmt.Sscan(string(text), &pid)
	}
	if err != nil || pid <= 1 {
		panic(fmt.Sprintf("the cluster has no postmaster: %v", err)) // and 0 or -1 would be all of us
	}
	return pid
}

// wait waits, unless ctx ends first.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
