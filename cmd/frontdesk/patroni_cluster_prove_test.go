//go:build prove

package main_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/adapters/postgres/postgrestest"
)

// patroni is three machines, each with Postgres, Patroni and etcd, and an HAProxy
// before them, set by the files of docs/operations.
type patroni struct {
	t        *testing.T
	dir      string
	machines []*machine
	proxy    string // where HAProxy leads to the machine that takes writes
}

// Three machines, because commits wait for a standby: with two, all writing stops while one
// is away. Each has an etcd, because a machine that is cut off must not reach a majority.
const machinesOfPatroni = 3

// secret is the password of all roles. The files have those of Patroni itself.
const secret = "roles-password"

func newPatroni(t *testing.T) *patroni {
	t.Helper()
	t.Setenv("PGPASSWORD", secret)
	dir, err := os.MkdirTemp(postgrestest.Scratch(), "frontdesk-patroni-") //nolint:usetesting // other users run Postgres and etcd, and have to pass through
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &patroni{t: t, dir: dir}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	bridge := newNetwork(t)
	for n := range machinesOfPatroni {
		m := newMachine(t, bridge, dir, n+1)
		p.machines = append(p.machines, m)
		p.install(m)
	}
	for _, m := range p.machines {
		p.start(m)
	}
	p.startHAProxy()
	p.whole()
	return p
}

// install copies the document's files to their paths.
func (p *patroni) install(m *machine) {
	p.t.Helper()
	m.owns("postgresql", "postgres")
	m.owns("run", "postgres")
	m.owns("etcd", "etcd")
	m.owns("patroni", "postgres")
	for _, file := range []string{"patroni.env", "etcd.env"} {
		m.env = append(m.env, settingsOf(operations(p.t, file), m.name)...)
	}
	p.publish(filepath.Join(m.dir, "patroni", "config.yml"), operations(p.t, "patroni.yml"))
	p.publish(filepath.Join(m.dir, "hosts"), hosts)
}

const hosts = "127.0.0.1 localhost\n" + network + "1 db1\n" + network + "2 db2\n" + network + "3 db3\n"

// publish writes a file that other users read.
func (p *patroni) publish(path, text string) {
	p.t.Helper()
	writeFile(p.t, path, text)
	if err := os.Chmod(path, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// settingsOf are the settings of a file of the environment that is written for db1, for
// another machine: above "The same", everything is its own.
func settingsOf(file, name string) (settings []string) {
	own, same, _ := strings.Cut(file, "# The same")
	for line := range strings.Lines(strings.ReplaceAll(own, "db1", name) + "# The same" + same) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			settings = append(settings, line)
		}
	}
	return settings
}

// start starts a machine's services.
func (p *patroni) start(m *machine) {
	p.t.Helper()
	p.startMissing(m, "/usr/bin/etcd", "etcd", "/usr/bin/etcd")
	p.startMissing(m, "/usr/bin/patroni", "postgres", "/usr/bin/patroni", "/etc/patroni/config.yml")
}

func (p *patroni) startMissing(m *machine, name, as, program string, args ...string) {
	p.t.Helper()
	if len(m.running(name)) == 0 {
		m.start(as, program, args...)
	}
}

// startHAProxy runs it here, where the program is. Only the ports are the test's own.
func (p *patroni) startHAProxy() {
	p.t.Helper()
	p.proxy = freeAddress(p.t)
	settings := filepath.Join(p.dir, "haproxy.cfg")
	p.publish(settings, replaced(p.t, operations(p.t, "haproxy-postgres.cfg"), "127.0.0.1:5000", p.proxy, "127.0.0.1:5001", freeAddress(p.t)))
	names := filepath.Join(p.machines[0].dir, "hosts")
	untilTheEnd(p.t, exec.CommandContext(context.WithoutCancel(p.t.Context()),
		"unshare", "--mount", "sh", "-c", `mount --bind "$0" /etc/hosts && exec "$@"`, names, rootsOwn("haproxy"), "-db", "-f", settings))
}

// url leads to the machine that takes writes, through HAProxy.
func (p *patroni) url(role string) string {
	return "postgres://" + role + "@" + p.proxy + "/frontdesk"
}

// direct is the URL that names all machines.
func (p *patroni) direct(role string) string {
	var addresses []string
	for _, m := range p.machines {
		addresses = append(addresses, m.address)
	}
	return "postgres://" + role + "@" + strings.Join(addresses, ",") + "/frontdesk?target_session_attrs=read-write"
}

// node is a machine as Patroni sees it.
type node struct {
	Name, Role, State string
	Timeline          int
}

// nodes asks one machine after the other, and returns the first answer.
func (p *patroni) nodes() []node {
	client := http.Client{Timeout: 2 * time.Second}
	for _, m := range p.machines {
		response, err := client.Get("http://" + m.address + ":8008/cluster")
		if err != nil {
			continue
		}
		var said struct{ Members []node }
		err = json.NewDecoder(response.Body).Decode(&said)
		_ = response.Body.Close()
		if err == nil {
			return said.Members
		}
	}
	return nil
}

// leader waits until HAProxy has a backend, and returns it.
func (p *patroni) leader() (found *machine) {
	p.t.Helper()
	client := http.Client{Timeout: 2 * time.Second}
	waitFor(p.t, func() bool {
		for _, m := range p.machines {
			response, err := client.Get("http://" + m.address + ":8008/primary")
			if err != nil {
				continue
			}
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				found = m
			}
		}
		return found != nil
	})
	return found
}

// whole waits until all machines run on one timeline, and all but the primary are
// synchronous standbys.
func (p *patroni) whole() {
	p.t.Helper()
	waitFor(p.t, func() bool {
		nodes := p.nodes()
		for _, n := range nodes {
			if n.State != "running" && n.State != "streaming" || n.Timeline != nodes[0].Timeline || n.Role != "leader" && n.Role != "sync_standby" {
				return false
			}
		}
		return len(nodes) == len(p.machines)
	})
}

// psql runs statements as the superuser, who can connect only through the socket.
func (m *machine) psql(database string, statements ...string) (string, error) {
	cmd := m.session(database)
	for _, s := range statements {
		cmd.Args = append(cmd.Args, "--command", s)
	}
	output, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(output)), err
}

// session is a psql on the machine's socket, which outlasts the machine.
func (m *machine) session(database string) *exec.Cmd {
	cmd := exec.CommandContext(context.WithoutCancel(m.t.Context()), "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
		"--set=ON_ERROR_STOP=1", "--host", filepath.Join(m.dir, "run"), "--username=postgres", database)
	cmd.Dir = m.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: userOf(m.t, "postgres")}
	return cmd
}
