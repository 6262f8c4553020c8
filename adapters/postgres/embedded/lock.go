package embedded

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// ErrInUse says that another Server, here or in another process, owns the
// cluster.
var ErrInUse = errors.New("already in use")

// acquire takes the lock of a cluster without waiting, and makes its file if
// flag is os.O_CREATE. The kernel lets it go when the process ends, however it
// ends.
func acquire(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(f); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			holder, _ := os.ReadFile(path) // a start has not signed yet, for a moment
			return nil, fmt.Errorf("%w by process %s: stop that one first", ErrInUse, cmp.Or(strings.TrimSpace(string(holder)), "unknown"))
		}
		return nil, err
	}
	if err := sign(f); err != nil {
		release(f)
		return nil, err
	}
	return f, nil
}

// sign writes down who holds the lock, for whoever finds it taken.
func sign(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := fmt.Fprintln(f, os.Getpid())
	return err
}

// release lets a lock go. Closing the file alone would do so later, when a
// program is being started at this moment: until it runs it shares our files.
func release(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	f.Close()
}

func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
