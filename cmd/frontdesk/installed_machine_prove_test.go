//go:build prove

package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	debianMachine = "localhost/frontdesk-machine" // the image of a Debian with systemd and Postgres
	stopLimit     = 60 * time.Second              // of such a machine
)

// onAMachine runs the test again in a world of its own, as inTheirWorld does. That world has
// the image of a machine and, in the folder release, an archive of this tree.
func onAMachine(t *testing.T) bool {
	t.Helper()
	return inAWorld(t, func(dir, script string) {
		build := exec.CommandContext(t.Context(), "unshare", "--mount", "bash", "-euo", "pipefail", "-c", script+`
cd ..
mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,dbus,postgresql,ca-certificates,openssl,procps bookworm - |
	podman import --quiet - `+debianMachine)
		build.Dir, build.Env = filepath.Join(dir, "frontdesk"), podmanIn(dir)
		if said, err := build.CombinedOutput(); err != nil {
			t.Fatalf("make a Debian: %v:\n%s", err, said)
		}
		released(t, filepath.Join(dir, "frontdesk"), filepath.Join(dir, "release"))
	})
}

// installed is a machine in a container: systemd is its first process, and its network is the test's.
type installed struct {
	t    *testing.T
	name string
}

// newInstalled starts one, with only the archive and its sum in /root. The start adds things
// that a container lacks compared with a machine: mounts that units share, and the right to
// list them.
func newInstalled(t *testing.T) *installed {
	t.Helper()
	m := &installed{t, "machine"}
	m.podman("run", "--detach", "--name", m.name, "--systemd=always", "--cap-add=SYS_ADMIN,SYS_PTRACE", "--network=host",
		debianMachine, "bash", "-c", "mount --make-rshared / && exec /sbin/init")
	m.podman("cp", filepath.Join(os.Getenv(containersDir), "release")+"/.", m.name+":/root/")
	t.Cleanup(func() {
		if t.Failed() {
			said, err := m.try("journalctl --no-pager --lines 60; systemctl --no-pager list-units 'frontdesk*'")
			t.Logf("the machine's output (%v):\n%s", err, said)
		}
	})
	m.up()
	return m
}

// up waits until systemd has started everything that is enabled.
func (m *installed) up() {
	m.t.Helper()
	waitFor(m.t, func() bool {
		said, _ := m.try("systemctl is-system-running")
		return strings.TrimSpace(said) == "running"
	})
}

// reboot ends all processes as a machine does that is switched off in good order.
func (m *installed) reboot() {
	m.t.Helper()
	m.podman("stop", "--time", fmt.Sprint(stopLimit.Seconds()), m.name)
	m.podman("start", m.name)
	m.up()
}

// do types lines as root, and returns their output.
func (m *installed) do(lines string) string {
	m.t.Helper()
	said, err := m.try(lines)
	if err != nil {
		m.t.Fatalf("%s: %v: %s", lines, err, said)
	}
	return said
}

func (m *installed) try(lines string) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.t.Context()), containersLimit)
	defer cancel()
	shell := exec.CommandContext(ctx, "podman", "exec", "--workdir", "/root", "--env", "HOME=/root", m.name, "bash", "-euo", "pipefail", "-c", lines)
	var said, trouble bytes.Buffer
	shell.Stdout, shell.Stderr = &said, &trouble
	err := shell.Run()
	if err != nil {
		err = errors.Join(err, errors.New(trouble.String()))
	}
	return said.String(), err
}

func (m *installed) podman(args ...string) {
	m.t.Helper()
	if said, err := exec.CommandContext(m.t.Context(), "podman", args...).CombinedOutput(); err != nil {
		m.t.Fatalf("podman %v: %v: %s", args, err, said)
	}
}
