// Command moments runs tests at another time: shortly before midnight, on 29 February, while the
// clocks change. It moves the time of Go programs by another package time, and that of Postgres,
// Node.js and Python by a preloaded library.
//
//	go run ./.ci/moments -moment leap-day ./domain/... ./commands/...
//
// The tests of each package begin at the moment. Browsers keep the machine's time.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // the moments need London's

	"frontdesk/adapters/clock"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "moments:", err)
		os.Exit(1)
	}
}

// begin is the first argument of this program when go test starts it in place of the tests of a
// package.
const begin = "begin"

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 3 && args[0] == begin {
		return start(args[1], args[2], args[3:])
	}
	flags := flag.NewFlagSet("moments", flag.ContinueOnError)
	only := flags.String("moment", "", "run the tests only at this moment")
	packages := flags.Int("p", 2, "how many packages are tested at once")
	if err := flags.Parse(args); err != nil {
		return err
	}
	london, err := time.LoadLocation(home)
	if err != nil {
		return fmt.Errorf("find the time zone: %w", err)
	}
	var chosen []moment
	var names []string
	for _, m := range moments(london) {
		if names = append(names, m.name); *only == "" || *only == m.name {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("%q is no moment; these are: %s", *only, strings.Join(names, ", "))
	}
	t, err := newTrial(ctx, *packages, flags.Args(), out)
	if err != nil {
		return err
	}
	defer os.RemoveAll(t.programs)
	return t.all(ctx, chosen)
}

// trial runs the tests of packages.
type trial struct {
	parallel int
	packages []string
	out      io.Writer
	dir      string // of the program and the overlay
	programs string // of scripts, where the user who runs Postgres can read
	self     string
}

func newTrial(ctx context.Context, parallel int, packages []string, out io.Writer) (*trial, error) {
	dir, err := filepath.Abs(filepath.Join(".frontdesk", "moments"))
	if err != nil {
		return nil, fmt.Errorf("find the folder of the clone: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the program: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	programs, err := os.MkdirTemp("", "moments-")
	if err != nil {
		return nil, fmt.Errorf("make the folder of programs: %w", err)
	}
	t := &trial{parallel, packages, out, dir, programs, self}
	if err := cmp.Or(os.Chmod(programs, 0o755), compile(ctx, programs)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(programs))
	}
	return t, nil
}

// all runs the tests at each moment, and prints a table of the results.
func (t *trial) all(ctx context.Context, chosen []moment) error {
	list, err := overlay(t.dir)
	if err != nil {
		return err
	}
	environment := append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+list), "FRONTDESK_TEST_BINARY="+filepath.Join(t.dir, "frontdesk"))
	if err := t.build(ctx, environment); err != nil {
		return err
	}
	var table strings.Builder
	red := false
	for _, m := range chosen {
		at := m.next(clock.System())
		_, _ = fmt.Fprintf(t.out, "=== %s: the tests of each package begin at %s\n", m.name, at.Format(time.RFC1123Z))
		watch := clock.Start()
		passed, failed, err := t.runAt(ctx, m, at, environment)
		if err != nil {
			return err
		}
		red = red || len(failed) > 0 || passed == 0
		fmt.Fprintf(&table, "%-14s  %s  %3d packages passed, %d failed, %.1f minutes  %s\n",
			m.name, at.Format(time.RFC3339), passed, len(failed), watch.Elapsed().Minutes(), strings.Join(failed, " "))
	}
	_, _ = fmt.Fprintf(t.out, "\n%s", &table)
	if red {
		return errors.New("tests fail at some moments")
	}
	return nil
}

// build builds the program that the tests start.
func (t *trial) build(ctx context.Context, environment []string) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(t.dir, "frontdesk"), "./cmd/frontdesk")
	build.Env, build.Stdout, build.Stderr = environment, t.out, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build frontdesk: %w", err)
	}
	return nil
}

// runAt runs the tests at a moment. It returns how many packages passed, and which failed.
func (t *trial) runAt(ctx context.Context, m moment, at time.Time, environment []string) (passed int, failed []string, err error) {
	if m.zone != "" {
		environment = append(environment, "TZ="+m.zone)
	}
	wrapper := fmt.Sprintf("'%s' %s %s '%s'", t.self, begin, at.UTC().Format(time.RFC3339), t.programs)
	args := []string{"test", "-vet=off", "-count=1", "-timeout=20m", "-p", strconv.Itoa(t.parallel), "-exec", wrapper}
	test := exec.CommandContext(ctx, "go", append(args, t.packages...)...)
	test.Env, test.Stderr = environment, os.Stderr
	test.Cancel = func() error { return test.Process.Signal(os.Interrupt) }
	said, err := test.StdoutPipe()
	if err != nil {
		return 0, nil, fmt.Errorf("run the tests: %w", err)
	}
	if err := test.Start(); err != nil {
		return 0, nil, fmt.Errorf("run the tests: %w", err)
	}
	lines := bufio.NewReader(said)
	for err == nil {
		var line string
		line, err = lines.ReadString('\n')
		_, _ = fmt.Fprint(t.out, line)
		switch word, rest, _ := strings.Cut(line, "\t"); word {
		case "ok  ":
			passed++
		case "FAIL":
			failed = append(failed, strings.Fields(rest)[0])
		}
	}
	_ = test.Wait() // the lines say which packages failed
	if !errors.Is(err, io.EOF) {
		return passed, failed, fmt.Errorf("read the results: %w", err)
	}
	return passed, failed, ctx.Err()
}

// start executes a program whose time begins at an instant.
func start(instant, programs string, command []string) error {
	at, err := time.Parse(time.RFC3339, instant)
	if err != nil {
		return fmt.Errorf("read the instant: %w", err)
	}
	offset := fmt.Sprintf("+%d", int64(at.Sub(clock.System()).Seconds()))
	bin := filepath.Join(programs, offset)
	if err := wrapped(bin, offset); err != nil {
		return err
	}
	if err := errors.Join(os.Setenv(movedBy, offset), os.Setenv("PATH", bin+":"+os.Getenv("PATH"))); err != nil {
		return err
	}
	return fmt.Errorf("begin %s: %w", command[0], syscall.Exec(command[0], command, os.Environ()))
}
