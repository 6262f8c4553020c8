package dev

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"frontdesk/adapters/durable"
)

const (
	lockName     = "dev.lock"
	runningName  = "dev.json"
	identityName = "identity.json"
	ignoreName   = ".gitignore"
)

// keyDir is the directory of one application. Its files are also held in memory, so that a
// directory that was removed (git clean) can be restored.
type keyDir struct {
	dir string

	mu      sync.Mutex
	files   map[string][]byte
	lock    os.FileInfo
	release func()
}

// openHome makes the directory if need be, and takes it for this process.
func openDir(dir string) (*keyDir, error) {
	h := &keyDir{dir: dir, files: map[string][]byte{}}
	if err := h.take(); err != nil {
		return nil, err
	}
	if err := h.write(ignoreName, []byte("*\n")); err != nil { // a private key must not be committed
		h.release()
		return nil, err
	}
	return h, nil
}

// take locks the directory.
func (h *keyDir) take() error {
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return fmt.Errorf("make the application's directory (choose another with --key-dir): %w", err)
	}
	lock, err := durable.Hold(h.file(lockName), os.O_CREATE)
	if errors.Is(err, durable.ErrInUse) {
		return fmt.Errorf("%s: %w, or choose another directory with --key-dir", inUse(h.dir), err)
	}
	if err != nil {
		return fmt.Errorf("write to the application's directory (choose another with --key-dir): %w", err)
	}
	if h.lock, err = os.Stat(h.file(lockName)); err != nil {
		_ = lock.Close()
		return fmt.Errorf("lock the application's directory: %w", err)
	}
	h.release = func() { _ = lock.Close() }
	return nil
}

// ours reports whether the directory is there, and is the one that was locked.
func (h *keyDir) ours() (there, ours bool) {
	lock, err := os.Stat(h.file(lockName))
	return !errors.Is(err, fs.ErrNotExist), err == nil && os.SameFile(lock, h.lock)
}

// inUse describes where the dev of a directory serves its page, which it does once it has
// started.
func inUse(dir string) string {
	running, err := readRunning(dir)
	if err != nil {
		return "a frontdesk dev is starting in " + dir
	}
	return fmt.Sprintf("a frontdesk dev runs in %s and shows its page at %s", dir, running.PageURL)
}

func (h *keyDir) file(name string) string { return filepath.Join(h.dir, name) }

// read returns a file of the directory.
func (h *keyDir) read(name string) ([]byte, error) {
	content, err := os.ReadFile(h.file(name))
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files[name] = content
	return content, nil
}

// write replaces a file as a whole. Only the owner of the directory reads it.
func (h *keyDir) write(name string, content []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files[name] = content
	return h.put(name, content)
}

func (h *keyDir) put(name string, content []byte) error {
	if err := durable.Replace(h.file(name), 0o600, content); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// rename renames a file, and replaces the one that had the name.
func (h *keyDir) rename(from, to string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := os.Rename(h.file(from), h.file(to)); err != nil {
		return fmt.Errorf("keep %s: %w", to, err)
	}
	h.files[to] = h.files[from]
	delete(h.files, from)
	return nil
}

// restore restores the directory with all its files if it is gone, and reports whether it
// was. It fails if another dev has taken its place.
func (h *keyDir) restore() (restored bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	there, ours := h.ours()
	switch {
	case ours:
		return false, nil
	case there:
		return false, fmt.Errorf("%s was removed, and is now another frontdesk dev's or cannot be read: start this one with another --key-dir", h.dir)
	}
	h.release()
	if err := h.take(); err != nil {
		return false, err
	}
	for name, content := range h.files {
		if err := h.put(name, content); err != nil {
			return false, err
		}
	}
	return true, nil
}

// close leaves the directory as the next start wants to find it.
func (h *keyDir) close() {
	if _, ours := h.ours(); ours {
		_ = os.Remove(h.file(runningName))
	}
	h.release()
}
