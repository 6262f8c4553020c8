package service_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// oneKey is a database with one key, which signs.
func oneKey(t *testing.T) (kid string, keys func(args ...string) []string) {
	t.Helper()
	url, file := postgrestest.New(t).URL, masterKey(t)
	keys = func(args ...string) []string {
		return append(append([]string{"key"}, args...), "--database-url", url, "--master-key-file", file)
	}
	kid = clitest.Frontdesk(t, keys("stage", "--json")...).Lines(t)[0]["kid"].(string)
	clitest.Frontdesk(t, keys("activate", kid)...).WantSuccess(t)
	return kid, keys
}

func TestSigningKeyIsNotRetiredWithoutConfirmation_D34(t *testing.T) {
	t.Parallel()
	kid, keys := oneKey(t)
	clitest.Frontdesk(t, keys("retire", kid)...).WantFailure(t, 1, "the only key that signs", "no webhook is signed or sent", "stage another", "--yes")
	staged := clitest.Frontdesk(t, keys("stage", "--json")...).Lines(t)[0]["kid"].(string)
	clitest.Frontdesk(t, keys("retire", kid)...).WantFailure(t, 1, "activate "+staged+", from 2")
	clitest.Frontdesk(t, keys("retire", kid, "--yes")...).WantSuccess(t)

	listed := clitest.Frontdesk(t, "key", "list", "--database-url", keys()[2]).Out
	if !strings.Contains(listed, "activate it at once, because no key signs") || !strings.Contains(listed, "retire it, from ") {
		t.Errorf("listed\n%s", listed)
	}
	clitest.Frontdesk(t, keys("activate", staged)...).WantSuccess(t)
	clitest.Frontdesk(t, keys("retire", kid)...).WantFailure(t, 1, "signing-key-in-use") // nothing to ask about
}

func TestAtATerminalTheKeyThatSignsIsRetiredByYes_D34(t *testing.T) {
	t.Parallel()
	kid, keys := oneKey(t)
	for _, test := range []struct{ typed, says string }{
		{"\n", "nothing was changed"}, {"n\n", "nothing was changed"}, {"", "stopped; nothing was changed"}, {"yes\n", ""},
	} {
		master, slave := terminal(t)
		ctx, stop := context.WithCancel(t.Context())
		said := &asked{until: "[y/N] ", then: func() {
			if test.typed == "" {
				stop() // Ctrl-C
			}
			fmt.Fprint(master, test.typed)
		}}
		status := cli.Main(ctx, keys("retire", kid), cli.Streams{In: slave, Out: said, Err: said})
		stop()
		if want := min(len(test.says), 1); status != want || !strings.Contains(said.text, "the only key that signs") || !strings.Contains(said.text, test.says) {
			t.Errorf("typed %q: exit status %d\n%s", test.typed, status, said.text)
		}
	}
}

// asked records the output, and calls a function once a text has appeared.
type asked struct {
	text, until string
	then        func()
}

func (a *asked) Write(p []byte) (int, error) {
	before := a.text
	if a.text += string(p); strings.Contains(a.text, a.until) && !strings.Contains(before, a.until) {
		a.then()
	}
	return len(p), nil
}

// terminal opens a pseudo-terminal: text written to one end is typed at the other.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	const unlock, number = 0x40045431, 0x80045430 // TIOCSPTLCK, TIOCGPTN
	open := func(name string) *os.File {
		file, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOCTTY, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		return file
	}
	master = open("/dev/ptmx")
	var n int32
	for _, request := range []uintptr{unlock, number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(unsafe.Pointer(&n))); errno != 0 {
			t.Fatal(errno)
		}
	}
	return master, open(fmt.Sprintf("/dev/pts/%d", n))
}
