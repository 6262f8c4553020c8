package postgrestest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"frontdesk/adapters/durable"
	"frontdesk/adapters/postgres/embedded"
)

// The environment variables that turn a test binary into the watchdog of a
// cluster, with file 3 as its lock.
const (
	watchedDir    = "FRONTDESK_TEST_WATCHDOG"
	watchedLinger = "FRONTDESK_TEST_WATCHDOG_LINGER"
)

// A package that needs a database has no TestMain to start a watchdog from, and none of
// its processes lives long enough to be one. The only program that certainly exists is
// the test binary itself, run once more.
//
//nolint:gochecknoinits // see above
func init() {
	dir := os.Getenv(watchedDir)
	if dir == "" {
		return
	}
	linger, err := time.ParseDuration(os.Getenv(watchedLinger))
	if err != nil {
		os.Exit(1)
	}
	if err := (place{dir, linger}).removeWhenUnused(); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// watch makes sure that the cluster has a watchdog; the caller holds the gate.
func (p place) watch() error {
	lock, err := tryLock(p.watchdog(), durable.Exclusive)
	if errors.Is(err, durable.ErrInUse) {
		return nil // it has one
	}
	if err != nil {
		return err
	}
	defer lock.File.Close() // not lock.Close: the watchdog has inherited the lock
	program, err := os.Executable()
	if err != nil {
		return err
	}
	// No context, no terminal and no pipe: the watchdog must not delay the test, and
	// must not end with it.
	cmd := exec.Command(program)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), watchedDir+"="+p.dir, watchedLinger+"="+p.linger.String())
	cmd.ExtraFiles = []*os.File{lock.File}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// removeWhenUnused is the watchdog.
func (p place) removeWhenUnused() error {
	const every = 200 * time.Millisecond
	for unused := time.Duration(0); ; unused += every {
		time.Sleep(every)
		if !p.alone() {
			unused = 0
		}
		if unused < p.linger {
			continue
		}
		if removed, err := p.removeIfUnused(); removed || err != nil {
			return err
		}
	}
}

func (p place) removeIfUnused() (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	gate, err := lock(ctx, p.gate(), durable.Exclusive)
	if err != nil {
		return false, err
	}
	defer gate.Close()
	if !p.alone() {
		return false, nil
	}
	// A process that waits at the gate must not mistake us for a live watchdog.
	return true, errors.Join(embedded.Remove(ctx, p.dir), os.NewFile(3, p.watchdog()).Close())
}
