//go:build prove

package main_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/postgrestest"
)

// pair is two clusters of Postgres on loopback: the primary, and a standby that
// streams from it.
type pair struct {
	t           *testing.T
	dir         string
	programs    string // where initdb and the others are
	owner       *syscall.Credential
	synchronous bool
	ports       [2]int
	primary     int // 0 or 1
	made        int // so that each cluster has a directory of its own
	data        [2]string
}

func newPair(t *testing.T, synchronous bool) *pair {
	t.Helper()
	dir, err := os.MkdirTemp(postgrestest.Scratch(), "frontdesk-pair-") //nolint:usetesting // another user runs Postgres, and has to pass through
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{t: t, dir: dir, programs: programs(t), synchronous: synchronous, ports: [2]int{freePort(t), freePort(t)}}
	t.Cleanup(p.remove)
	p.giveAway()
	p.data[0] = p.newData()
	p.do("initdb", "--pgdata", p.data[0], "--username", "postgres", "--auth", "trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	p.configure()
	p.start(0)
	p.do("createdb", "--host=127.0.0.1", "--port", strconv.Itoa(p.ports[0]), "--username=postgres", "frontdesk")
	p.do("createuser", "--host=127.0.0.1", "--port", strconv.Itoa(p.ports[0]), "--username=postgres", "owner")
	return p
}

// giveAway makes another user run the clusters if the test runs as root, whom Postgres
// refuses.
func (p *pair) giveAway() {
	if os.Geteuid() != 0 {
		return
	}
	p.owner = userOf(p.t, "postgres")
	if err := os.Chown(p.dir, int(p.owner.Uid), int(p.owner.Gid)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pair) configure() {
	settings := "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 200\nwal_keep_size = '512MB'\n"
	file, err := os.OpenFile(filepath.Join(p.data[0], "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(settings); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pair) newData() string {
	p.made++
	return filepath.Join(p.dir, strconv.Itoa(p.made))
}

// url connects a role with the one of the two that takes writes, as in docs/operate/README.md.
func (p *pair) url(role string) string {
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d,127.0.0.1:%d/frontdesk?target_session_attrs=read-write", role, p.ports[0], p.ports[1])
}

func (p *pair) standby() int { return 1 - p.primary }

func (p *pair) start(n int) {
	p.t.Helper()
	p.do("pg_ctl", "start", "--wait", "--pgdata", p.data[n], "--log", p.data[n]+".log", "--options", fmt.Sprintf("-p %d", p.ports[n]))
}

// demand makes commits wait for a standby from now on, if the pair is synchronous.
func (p *pair) demand() {
	p.t.Helper()
	if p.synchronous {
		p.exec(p.primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
		p.exec(p.primary, `SELECT pg_reload_conf()`)
	}
}

// follow rebuilds the other cluster as a standby of the primary, and waits until it streams.
func (p *pair) follow() {
	p.t.Helper()
	n := p.standby()
	p.data[n] = p.newData()
	p.do("pg_basebackup", "--pgdata", p.data[n], "--write-recovery-conf", "--checkpoint=fast", "--no-sync",
		"--dbname", fmt.Sprintf("host=127.0.0.1 port=%d user=postgres", p.ports[p.primary]))
	p.start(n)
	p.waitFor(p.primary, `SELECT EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming')`)
}

// holdBack stops the standby from receiving anything more.
func (p *pair) holdBack() {
	p.t.Helper()
	p.exec(p.standby(), `ALTER SYSTEM SET primary_conninfo = ''`)
	p.exec(p.standby(), `SELECT pg_reload_conf()`)
	p.waitFor(p.standby(), `SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)`)
}

// killPrimary kills the primary as the loss of its machine would.
func (p *pair) killPrimary() {
	p.t.Helper()
	pid, err := os.ReadFile(filepath.Join(p.data[p.primary], "postmaster.pid"))
	if err != nil {
		p.t.Fatal(err)
	}
	number, err := strconv.Atoi(string(bytes.TrimSpace(bytes.SplitN(pid, []byte("\n"), 2)[0])))
	if err != nil {
		p.t.Fatal(err)
	}
	if err := syscall.Kill(number, syscall.SIGKILL); err != nil { // its children detect that, and also end
		p.t.Fatal(err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(p.ports[p.primary]))
	waitFor(p.t, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
}

// promote makes the standby the primary.
func (p *pair) promote() {
	p.t.Helper()
	p.do("pg_ctl", "promote", "--wait", "--pgdata", p.data[p.standby()])
	p.primary = p.standby()
}

func (p *pair) connect(n int) *pgx.Conn {
	p.t.Helper()
	conn, err := pgx.Connect(p.t.Context(), fmt.Sprintf("postgres://postgres@127.0.0.1:%d/frontdesk", p.ports[n]))
	if err != nil {
		p.t.Fatal(err)
	}
	return conn
}

func (p *pair) exec(n int, statement string) {
	p.t.Helper()
	conn := p.connect(n)
	defer conn.Close(p.t.Context())
	if _, err := conn.Exec(p.t.Context(), statement); err != nil {
		p.t.Fatalf("%s: %v", statement, err)
	}
}

func (p *pair) waitFor(n int, condition string) {
	p.t.Helper()
	conn := p.connect(n)
	defer conn.Close(p.t.Context())
	waitFor(p.t, func() (holds bool) {
		if err := conn.QueryRow(p.t.Context(), condition).Scan(&holds); err != nil {
			p.t.Fatalf("%s: %v", condition, err)
		}
		return holds
	})
}

// answerTo is the one value that a database answers.
func answerTo[T any](t *testing.T, url, question string) (answer T) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), question).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	return answer
}

// do runs a program of Postgres.
func (p *pair) do(program string, args ...string) {
	p.t.Helper()
	if output, err := p.command(program, args...); err != nil {
		p.t.Fatalf("%s %v: %v\n%s", program, args, err, output)
	}
}

// command gives the program a file to write to: a process that pg_ctl starts would keep a
// pipe open.
func (p *pair) command(program string, args ...string) (output []byte, err error) {
	file, err := os.CreateTemp("", "frontdesk-output-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(p.programs, program), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, file, file
	cmd.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.owner}
	err = cmd.Run()
	output, _ = os.ReadFile(file.Name())
	return output, err
}

func (p *pair) remove() {
	for _, data := range p.data {
		_, _ = p.command("pg_ctl", "stop", "--mode=immediate", "--pgdata", data) // it may be dead already
	}
	if err := os.RemoveAll(p.dir); err != nil {
		p.t.Error(err)
	}
}
