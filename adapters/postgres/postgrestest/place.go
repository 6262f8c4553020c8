package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"frontdesk/adapters/postgres/embedded"
)

// place is where a shared cluster lives, and how long it outlives its users.
//
// Two locks order its life. Who joins or removes it holds the gate, for a
// moment; who uses it holds the users' lock, shared. Nobody can join while
// somebody else holds the gate, so who holds it and is alone stays alone.
type place struct {
	dir    string
	linger time.Duration
}

func (p place) gate() string     { return filepath.Join(p.dir, "gate.lock") }
func (p place) users() string    { return filepath.Join(p.dir, "users.lock") }
func (p place) watchdog() string { return filepath.Join(p.dir, "watchdog.lock") }

// alone reports whether nobody uses the cluster.
func (p place) alone() bool {
	f, err := tryLock(p.users(), syscall.LOCK_EX)
	if err == nil {
		unlock(f)
	}
	return err == nil
}

// usualPlace is the same for all test processes of a user, and nobody else's.
func usualPlace() (place, error) {
	dir := filepath.Join(embedded.Scratch(), fmt.Sprintf("frontdesk-test-%d", os.Geteuid()))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return place{}, err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return place{}, err
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; !info.IsDir() || int(owner) != os.Geteuid() {
		return place{}, fmt.Errorf("%s belongs to somebody else: remove it", dir)
	}
	// Whoever runs Postgres for root has to pass through.
	return place{dir: dir, linger: 30 * time.Second}, os.Chmod(dir, 0o711)
}

// lock waits for a lock on a file, which ends with the process or with unlock.
func lock(ctx context.Context, path string, how int) (*os.File, error) {
	for {
		f, err := tryLock(path, how)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for %s: %w", path, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// unlock lets a lock go. Closing the file alone would do so later, when a
// program is being started at this moment: until it runs it shares our files.
func unlock(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	f.Close()
}

// tryLock fails with EWOULDBLOCK where lock would wait.
func tryLock(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
