package clitest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"frontdesk/cmd/frontdesk/cli"
)

// AtTerminal runs a command line at a terminal, and types a text when it asks a question that
// ends in [y/N]. No text is Ctrl-C.
func AtTerminal(t *testing.T, typed string, args ...string) Outcome {
	t.Helper()
	master, slave := openTerminal(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out bytes.Buffer
	said := &asked{until: "[y/N] ", then: func() {
		if typed == "" {
			stop()
		}
		fmt.Fprint(master, typed)
	}}
	status := cli.Main(ctx, args, cli.Streams{In: slave, Out: &out, Err: said})
	return Outcome{status, out.String(), said.text}
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

// openTerminal opens a pseudo-terminal: text written to one end is typed at the other.
func openTerminal(t *testing.T) (master, slave *os.File) {
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
