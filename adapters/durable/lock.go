package durable

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ErrInUse means that the lock has another holder, here or in another process.
var ErrInUse = errors.New("already in use")

// Lock is a file that is open and locked. The kernel releases the lock when the
// process ends, however it ends.
type Lock struct{ *os.File }

// Mode says with which other locks of its file a lock goes together.
type Mode bool

// The modes of a lock: Exclusive goes with no other, Shared with other shared ones.
const (
	Exclusive Mode = true
	Shared    Mode = false
)

// TryLock locks a file and does not wait: another holder is [ErrInUse]. flag is
// os.O_CREATE to make the file, or 0.
func TryLock(name string, flag int, mode Mode) (*Lock, error) {
	file, err := os.OpenFile(name, os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, err
	}
	if err := tryLock(file, mode); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Lock{file}, nil
}

// Hold takes a lock file for this process, and writes the process id into it.
// The error names the process of another holder.
func Hold(name string, flag int) (*Lock, error) {
	l, err := TryLock(name, flag, Exclusive)
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
	return errors.Join(unlock(l.File), l.File.Close())
}
