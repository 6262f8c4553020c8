package durable

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// ErrInUse means that the lock has another holder, here or in another process.
var ErrInUse = errors.New("already in use")

// Lock is a file that is open and locked. The kernel releases the lock when the
// process ends, however it ends.
type Lock struct{ *os.File }

// TryLock locks a file and does not wait: another holder is [ErrInUse]. flag is
// os.O_CREATE to make the file, or 0; how is syscall.LOCK_EX or syscall.LOCK_SH.
func TryLock(name string, flag, how int) (*Lock, error) {
	file, err := os.OpenFile(name, os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return &Lock{file}, nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			err = ErrInUse
		}
		return nil, errors.Join(err, file.Close())
	}
}

// Hold takes a lock file for this process, and writes the process id into it.
// The error names the process of another holder.
func Hold(name string, flag int) (*Lock, error) {
	l, err := TryLock(name, flag, syscall.LOCK_EX)
	if errors.Is(err, ErrInUse) {
		return nil, fmt.Errorf("%w by process %s: stop that one first", ErrInUse, Holder(name))
	}
	if err != nil {
		return nil, err
	}
	if err := l.Sign(strconv.Itoa(os.Getpid()) + "\n"); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Sign replaces the content of the lock file, which [Holder] returns.
func (l *Lock) Sign(holder string) error {
	if _, err := l.WriteAt([]byte(holder), 0); err != nil {
		return err
	}
	return l.Truncate(int64(len(holder)))
}

// Holder returns the holder in a lock file. It is unknown for the moment before the
// first holder signs.
func Holder(name string) string {
	content, _ := os.ReadFile(name)
	return cmp.Or(strings.TrimSpace(string(content)), "unknown")
}

// Close releases the lock, and closes the file. Closing it is not enough: a program
// that is just being started shares our files until it runs, and with them the lock.
func (l *Lock) Close() error {
	return errors.Join(syscall.Flock(int(l.Fd()), syscall.LOCK_UN), l.File.Close())
}
