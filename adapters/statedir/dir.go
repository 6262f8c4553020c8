package statedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"frontdesk/adapters/durable"
)

// ErrInUse means that another process holds the directory.
var ErrInUse = errors.New("another process holds it")

// Dir is a directory that one process holds. Each name in it has one writer at a time.
type Dir struct {
	path string
	lock *durable.Lock
}

// Open takes an existing directory. The kernel releases it when the process ends,
// however it ends.
func Open(path string) (*Dir, error) {
	name := filepath.Join(path, "lock")
	lock, err := durable.TryLock(name, os.O_CREATE, durable.Exclusive)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no folder %s: make it once, with mkdir, and never again, as it holds what must not be forgotten", path)
	case errors.Is(err, durable.ErrInUse):
		return nil, fmt.Errorf("take the state directory %s: %w (process %s): stop that one first", path, ErrInUse, durable.Holder(name))
	case err != nil:
		return nil, fmt.Errorf("open the state directory: %w", err)
	}
	if err := lock.Sign(fmt.Sprintf("%-20d\n", os.Getpid())); err != nil {
		return nil, errors.Join(fmt.Errorf("take the state directory %s: %w", path, err), lock.Close())
	}
	return &Dir{path: path, lock: lock}, nil
}

// Close releases the directory.
func (d *Dir) Close() error { return d.lock.Close() }

// Read returns the content of a file; nil if absent.
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

// Write replaces a file with b. After a power failure the file has b if Write had
// returned, and otherwise b or the old content.
func (d *Dir) Write(name string, b []byte) error {
	if err := durable.Replace(filepath.Join(d.path, name), 0o600, b); err != nil {
		return fmt.Errorf("write the state: %w", err)
	}
	return nil
}
