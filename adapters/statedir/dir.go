package statedir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrInUse says that another process holds the directory.
var ErrInUse = errors.New("another process holds it")

// Dir is a directory that one process holds. Each name in it has one writer at a time.
type Dir struct {
	path string
	lock *os.File
}

// Open takes a directory that exists. The kernel gives it up when the process ends,
// however it ends.
func Open(path string) (*Dir, error) {
	name := filepath.Join(path, "lock")
	lock, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no folder %s: make it once, with mkdir, and never again, as it holds what must not be forgotten", path)
	}
	if err != nil {
		return nil, fmt.Errorf("open the state directory: %w", err)
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder, _ := os.ReadFile(name)
		err = fmt.Errorf("%w (process %s): stop that one first", ErrInUse, bytes.TrimSpace(holder))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("take the state directory %s: %w", path, err), lock.Close())
	}
	if _, err := lock.WriteAt(fmt.Appendf(nil, "%-20d\n", os.Getpid()), 0); err != nil { // for whoever finds it taken
		return nil, errors.Join(fmt.Errorf("take the state directory %s: %w", path, err), lock.Close())
	}
	return &Dir{path: path, lock: lock}, nil
}

// Close gives the directory up, at once also if a program that is being started shares
// our files at this moment.
func (d *Dir) Close() error {
	return errors.Join(syscall.Flock(int(d.lock.Fd()), syscall.LOCK_UN), d.lock.Close())
}

// Read returns what was written under a name; nil if nothing was.
func (d *Dir) Read(name string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(d.path, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the state: %w", err)
	}
	return b, nil
}

// Write puts b in the place of what was there. Once it returns, b is there after a power
// failure; until then, b or what was there before.
func (d *Dir) Write(name string, b []byte) error {
	place := filepath.Join(d.path, name)
	if err := writeThrough(place+".new", b); err != nil {
		return fmt.Errorf("write the state: %w", err)
	}
	if err := errors.Join(os.Rename(place+".new", place), d.sync()); err != nil {
		return fmt.Errorf("write the state: %w", err)
	}
	return nil
}

// writeThrough writes a file as far as the disk.
func writeThrough(name string, b []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(b)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	return errors.Join(file.Sync(), file.Close())
}

// sync brings the names in the directory to the disk.
func (d *Dir) sync() error {
	folder, err := os.Open(d.path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
