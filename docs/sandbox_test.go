//go:build walk || prove

package docs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"frontdesk/adapters/postgres/postgrestest"
)

// sandbox is a sandbox that was started as in integrate/quickstart.md, by make run, with other ports
// and another directory.
type sandbox struct {
	dir  string
	make *exec.Cmd
	stop io.Closer
	said bytes.Buffer
	done chan struct{}
}

// theSandbox is shared by tests. A test that resets its sandbox or moves its clock
// starts one of its own.
var theSandbox = sync.OnceValues(func() (*sandbox, error) { return startSandbox("make run") })

func TestMain(m *testing.M) {
	status := m.Run()
	if err := errors.Join(stopSandboxes(), removeFetched()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// started are for TestMain, once tests have asked for them.
var started struct {
	sync.Mutex
	all []*sandbox
}

// untilEOF runs a command until its standard input ends: so it ends with this
// process, however that ends.
const untilEOF = `trap : TERM; %s & read -r _; kill -TERM 0; wait; wait`

const readyLimit = 10 * time.Minute // a first run compiles the program, maybe on a busy machine

func startSandbox(command string) (*sandbox, error) {
	dir, err := postgrestest.MakeDir()
	if err != nil {
		return nil, err
	}
	s := &sandbox{dir: dir, done: make(chan struct{})}
	started.Lock()
	started.all = append(started.all, s)
	started.Unlock()
	s.make = inGroup(exec.Command("bash", "-c", fmt.Sprintf(untilEOF, command)), "..",
		"FRONTDESK_DIR="+dir, "FRONTDESK_LISTEN=127.0.0.1:0", "FRONTDESK_PRIVATE_LISTEN=127.0.0.1:0",
		"FRONTDESK_RATE_LIMIT=500") // many tests call as one application
	s.make.Stdout, s.make.Stderr = &s.said, &s.said
	if s.stop, err = s.make.StdinPipe(); err == nil {
		err = s.make.Start()
	}
	if err != nil {
		close(s.done)
		return nil, err
	}
	go func() {
		defer close(s.done)
		_ = s.make.Wait() // it ends by a signal
	}()
	err = s.ready()
	return s, err
}

// ready waits for sandbox.json.
func (s *sandbox) ready() error {
	limit := time.After(readyLimit)
	for {
		select {
		case <-s.done:
			return fmt.Errorf("it has ended: %s", &s.said)
		case <-limit:
			return errors.New("make run does not get ready")
		case <-time.After(50 * time.Millisecond):
		}
		if _, err := os.Stat(s.info()); err == nil {
			return nil
		}
	}
}

func (s *sandbox) info() string { return filepath.Join(s.dir, "sandbox.json") }

// read is sandbox.json.
func (s *sandbox) read(t *testing.T, target any) {
	t.Helper()
	data, err := os.ReadFile(s.info())
	if err == nil {
		err = json.Unmarshal(data, target)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func stopSandboxes() (err error) {
	for _, s := range started.all {
		err = errors.Join(err, s.end())
	}
	return err
}

func (s *sandbox) end() error {
	if s.stop != nil {
		_ = s.stop.Close()
	}
	select {
	case <-s.done:
	case <-time.After(time.Minute):
		return fmt.Errorf("the sandbox does not stop: %s", &s.said)
	}
	return os.RemoveAll(s.dir)
}

// inGroup prepares a command with processes of its own, a folder, and an
// environment in which nothing of an outer make is left.
func inGroup(command *exec.Cmd, dir string, environment ...string) *exec.Cmd {
	command.Dir = dir
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "MAKE") && !strings.HasPrefix(variable, "MFLAGS") && !strings.HasPrefix(variable, "FRONTDESK_") {
			command.Env = append(command.Env, variable)
		}
	}
	command.Env = append(command.Env, environment...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return command
}

// runLimit bounds one command of a test.
const runLimit = 10 * time.Minute // on a busy machine

// output runs a command and returns its standard output; a failure shows all output.
func output(t *testing.T, in, dir string, name string, arguments ...string) string {
	t.Helper()
	out, failure := tryOutput(t.Context(), in, dir, name, arguments...)
	if failure != nil {
		t.Fatal(failure)
	}
	return out
}

func tryOutput(ctx context.Context, in, dir string, name string, arguments ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	var out, failure bytes.Buffer
	command := inGroup(exec.CommandContext(ctx, name, arguments...), dir)
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(in), &out, &failure
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(arguments, " "), err, &out, &failure)
	}
	return out.String(), nil
}
