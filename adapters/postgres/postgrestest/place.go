package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/durable"
)

// place is the directory of a shared cluster, with how long it outlives its users.
//
// Two locks guard it. A process that joins or removes it holds the gate for a moment. A
// user holds the users' lock, shared. A process with the gate that finds no users can
// rely on that, because joining needs the gate.
type place struct {
	dir    string
	linger time.Duration
}

func (p place) gate() string     { return filepath.Join(p.dir, "gate.lock") }
func (p place) users() string    { return filepath.Join(p.dir, "users.lock") }
func (p place) watchdog() string { return filepath.Join(p.dir, "watchdog.lock") }

// alone reports whether the cluster has no users.
func (p place) alone() bool {
	f, err := tryLock(p.users(), durable.Exclusive)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// usualPlace is the same for all test processes of a user with the same time shift,
// which the variable of make moments sets, and is no other user's.
func usualPlace() (place, error) {
	dir := filepath.Join(Scratch(), fmt.Sprintf("frontdesk-test-%d%s", os.Geteuid(), os.Getenv("TEST_CLOCK_AHEAD")))
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
	// For root, another user runs Postgres, and must be able to traverse it.
	return place{dir: dir, linger: 30 * time.Second}, os.Chmod(dir, 0o711)
}

// Scratch is the best directory for throwaway clusters: in memory if the system
// offers plenty of it as files, or else the temporary directory. A database is
// three hundred small files. Some file systems take 15 ms for the first one,
// but 300 ms after hundreds were made and dropped.
func Scratch() string {
	const memory, plenty = "/dev/shm", 4 << 30
	var free syscall.Statfs_t
	if syscall.Statfs(memory, &free) == nil && free.Bavail*uint64(free.Bsize) >= plenty {
		return memory
	}
	return os.TempDir()
}

// lock waits for a lock on a file. The lock ends with Close, or with the process.
func lock(ctx context.Context, path string, mode durable.Mode) (*durable.Lock, error) {
	for {
		l, err := tryLock(path, mode)
		if !errors.Is(err, durable.ErrInUse) {
			return l, err
		}
		if !background.Sleep(ctx, 10*time.Millisecond) {
			return nil, fmt.Errorf("wait for %s: %w", path, ctx.Err())
		}
	}
}

// tryLock fails with [durable.ErrInUse] where lock would wait.
func tryLock(path string, mode durable.Mode) (*durable.Lock, error) {
	return durable.TryLock(path, os.O_CREATE, mode)
}

// Dir is a directory in [Scratch] for a cluster that a test starts itself, and is
// removed after the test. Every user can traverse it, as the user who runs Postgres for
// root must.
func Dir(tb testing.TB) string {
	tb.Helper()
	dir, err := MakeDir()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return dir
}

// MakeDir creates such a directory; the caller removes it.
func MakeDir() (string, error) {
	dir, err := os.MkdirTemp(Scratch(), "frontdesk-alone-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o711)
}
