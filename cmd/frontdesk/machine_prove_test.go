//go:build prove

package main_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// machine is a network namespace with an address of its own. Its processes have directories
// of their own at Debian's paths of Postgres, Patroni and etcd. So several machines can run
// all of them at their usual ports and paths.
type machine struct {
	t             *testing.T
	name, address string
	dir           string
	namespace     string
	link          string   // the end of its cable that is not in it
	env           []string // of its programs
}

// The machines of one test have addresses that are kept for documentation.
const (
	network      = "198.51.100."
	ofTheNetwork = network + "254" // the test's own address in it
)

// enter runs a program of a machine as one of Debian's users. Mounts that are made in it are
// visible only there.
const enter = `set -e
mkdir -p /run/postgresql
mount --bind "$0/postgresql" /var/lib/postgresql
mount --bind "$0/run" /run/postgresql
mount --bind "$0/etcd" /var/lib/etcd
mount --bind "$0/patroni" /etc/patroni
mount --bind "$0/hosts" /etc/hosts
exec setpriv --reuid "$1" --regid "$1" --init-groups "${@:2}"`

// newNetwork makes a bridge that machines are plugged into. This takes root.
func newNetwork(t *testing.T) (bridge string) {
	t.Helper()
	removeAbandoned(t)
	bridge = fmt.Sprintf("frontdesk%d", os.Getpid()%1e6)
	ip(t, "link", "add", bridge, "type", "bridge")
	t.Cleanup(func() { ip(t, "link", "del", bridge) })
	ip(t, "address", "add", ofTheNetwork+"/24", "dev", bridge)
	ip(t, "link", "set", bridge, "up")
	return bridge
}

// removeAbandoned removes the bridges and machines of proofs that were killed: they share the
// network of this proof, and would receive its packets.
func removeAbandoned(t *testing.T) {
	t.Helper()
	for _, name := range entries("/run/netns") {
		if abandoned(name) {
			(&machine{t: t, namespace: name}).remove()
		}
	}
	for _, name := range entries("/sys/class/net") {
		if abandoned(name) {
			ip(t, "link", "del", name)
		}
	}
}

// abandoned reports whether a bridge or a namespace is of a proof that has ended.
func abandoned(name string) bool {
	made, ours := strings.CutPrefix(name, "frontdesk")
	pid, _, _ := strings.Cut(made, "-")
	_, running := os.Stat("/proc/" + pid)
	return ours && errors.Is(running, os.ErrNotExist)
}

func entries(dir string) (names []string) {
	found, _ := os.ReadDir(dir) // there may be none
	for _, entry := range found {
		names = append(names, entry.Name())
	}
	return names
}

// newMachine plugs a machine in. Its number is the end of its address and of its name.
func newMachine(t *testing.T, bridge, dir string, number int) *machine {
	t.Helper()
	m := &machine{
		t: t, name: fmt.Sprintf("db%d", number), address: network + strconv.Itoa(number),
		namespace: fmt.Sprintf("%s-%d", bridge, number), link: fmt.Sprintf("fd%d-%d", os.Getpid()%1e6, number),
	}
	m.dir = filepath.Join(dir, m.name)
	ip(t, "netns", "add", m.namespace)
	t.Cleanup(m.remove)
	ip(t, "link", "add", m.link, "type", "veth", "peer", "name", "eth0", "netns", m.namespace)
	ip(t, "link", "set", m.link, "master", bridge, "up")
	ip(t, "-n", m.namespace, "address", "add", m.address+"/24", "dev", "eth0")
	ip(t, "-n", m.namespace, "link", "set", "eth0", "up")
	ip(t, "-n", m.namespace, "link", "set", "lo", "up")
	return m
}

// owns makes one of the machine's directories, for one of Debian's users.
func (m *machine) owns(name, owner string) {
	m.t.Helper()
	path := filepath.Join(m.dir, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		m.t.Fatal(err)
	}
	credential := userOf(m.t, owner)
	if err := os.Chown(path, int(credential.Uid), int(credential.Gid)); err != nil {
		m.t.Fatal(err)
	}
}

// start runs a program in the machine, until it ends or is killed. Its output is in a file of
// the machine's directory.
func (m *machine) start(as, program string, args ...string) {
	m.t.Helper()
	said, err := os.OpenFile(filepath.Join(m.dir, filepath.Base(program)+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		m.t.Fatal(err)
	}
	defer said.Close()
	cmd := m.entering(as, append([]string{program}, args...)...)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	m.t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
}

// entering is a command in the machine.
func (m *machine) entering(as string, command ...string) *exec.Cmd {
	words := append([]string{"netns", "exec", m.namespace, "bash", "-c", enter, m.dir, as}, command...)
	cmd := exec.CommandContext(context.WithoutCancel(m.t.Context()), "ip", words...)
	cmd.Env = append([]string{"LC_ALL=C.UTF-8", "PATH=" + os.Getenv("PATH")}, m.env...)
	return cmd
}

// running returns the processes of the machine: all, or those of one name.
func (m *machine) running(name string) (pids []int) {
	m.t.Helper()
	for field := range strings.FieldsSeq(ip(m.t, "netns", "pids", m.namespace)) {
		pid, _ := strconv.Atoi(field)
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may have ended
		if len(command) > 0 && strings.Contains(string(command), name) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// kill kills the machine's processes of one name, and those that they start meanwhile;
// "" is all of them.
func (m *machine) kill(name string) {
	m.t.Helper()
	waitFor(m.t, func() bool {
		pids := m.running(name)
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
		return len(pids) == 0
	})
}

// freeze stops all processes of the machine, and returns the function that resumes them. It
// looks twice: a process that was not stopped yet may have started another.
func (m *machine) freeze() (thaw func()) {
	m.t.Helper()
	m.signal(syscall.SIGSTOP)
	m.signal(syscall.SIGSTOP)
	return func() { m.signal(syscall.SIGCONT) }
}

func (m *machine) signal(which syscall.Signal) {
	for _, pid := range m.running("") {
		_ = syscall.Kill(pid, which) // it may have ended
	}
}

// cut pulls the machine's cable.
func (m *machine) cut() (mend func()) {
	m.t.Helper()
	ip(m.t, "link", "set", m.link, "down")
	return func() { ip(m.t, "link", "set", m.link, "up") }
}

func (m *machine) remove() {
	m.kill("")
	ip(m.t, "netns", "del", m.namespace)
	if _, err := os.Stat("/sys/class/net/" + m.link); m.link != "" && err == nil {
		_, _ = exec.CommandContext(context.Background(), "ip", "link", "del", m.link).CombinedOutput() // it may go with the namespace just now
	}
}

func ip(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
	defer cancel()
	output, err := exec.CommandContext(ctx, "ip", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("ip %s (this takes root): %v: %s", strings.Join(args, " "), err, output)
	}
	return string(output)
}
