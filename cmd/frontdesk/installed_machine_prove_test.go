//go:build prove

package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/docs"
)

const (
	debianMachine = "localhost/frontdesk-machine" // the image of a Debian with systemd and Postgres
	stopLimit     = 60 * time.Second              // of such a machine
)

// onAMachine runs the test again in a world of its own, as inTheirWorld does. That world has
// the image of a machine and, in the folder release, an archive of this tree. The machine is a
// bare Debian; the packages that the page installs, and those of the stand-ins, are in apt's
// cache, because the world has no network.
func onAMachine(t *testing.T) bool {
	t.Helper()
	return inAWorld(t, func(dir, script string) {
		page := docs.OperatorsBlocks(t, debianPage, "Prepare the machine", "sh")[0]
		writeFile(t, filepath.Join(dir, "download"), replaced(t, page, "apt-get install --yes", "apt-get install --yes --download-only bind9 pebble"))
		build := exec.CommandContext(t.Context(), "unshare", "--mount", "bash", "-euo", "pipefail", "-c", script+`
cd ..
mmdebstrap --quiet --variant=minbase --skip=cleanup/apt --include=systemd,systemd-sysv,dbus,procps,ca-certificates \
	--customize-hook='chroot "$1" bash -euc "$(cat '"$PWD/download"')" >&2' bookworm - | podman import --quiet - `+debianMachine)
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

// newInstalled starts a bare machine. The start adds things that a container lacks compared
// with a machine: mounts that units share, the right to list them, and a firewall.
func newInstalled(t *testing.T, name string) *installed {
	t.Helper()
	m := &installed{t, name}
	m.podman("run", "--detach", "--name", m.name, "--systemd=always", "--cap-add=SYS_ADMIN,SYS_PTRACE,NET_ADMIN", "--network=host", "--dns="+standInDNS,
		debianMachine, "bash", "-c", "mount --make-rshared / && exec /sbin/init")
	t.Cleanup(func() {
		if t.Failed() {
			said, err := m.try("journalctl --no-pager --lines 60; systemctl --no-pager list-units 'frontdesk*'")
			t.Logf("the output of %s (%v):\n%s", m.name, err, said)
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

// followed types the lines below a heading of a page, and compares the output with the page's.
func (m *installed) followed(page, below string) {
	m.t.Helper()
	var said string
	for _, b := range docs.Blocks(docs.OperatorsPages()[page]) {
		switch {
		case b.Below != below:
		case b.Language == "sh":
			said = m.do(b.Text)
		case b.Language == "text" && !prints(said, b.Text):
			m.t.Errorf("%s, %s: it is said to print\n%s\nand prints\n%s", page, below, b.Text, said)
		}
	}
}

// do types lines as root, and returns their output. They find the state that the lines before
// have left, as in one shell.
func (m *installed) do(lines string) string {
	m.t.Helper()
	said, err := m.try(theShell + lines)
	if err != nil {
		m.t.Fatalf("%s: %v: %s", lines, err, said)
	}
	return said
}

const theShell = `if [ -e ~/.shell ]; then . ~/.shell; fi
trap '{ declare -f; declare -p domain 2> /dev/null || true; export -p; printf "umask %s\ncd %q\n" "$(umask)" "$PWD"; } > ~/.shell' EXIT
`

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
