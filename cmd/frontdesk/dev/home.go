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

// home is the directory of one application. What is written there is remembered, too, so
// that a directory that somebody has removed (git clean) can be made again.
type home struct {
	dir string

	mu      sync.Mutex
	files   map[string][]byte
	lock    os.FileInfo
	release func()
}

// openHome makes the directory if need be, and takes it for this process.
func openHome(dir string) (*home, error) {
	h := &home{dir: dir, files: map[string][]byte{}}
	if err := h.take(); err != nil {
		return nil, err
	}
	if err := h.write(ignoreName, []byte("*\n")); err != nil { // nobody means to commit a private key
		h.release()
		return nil, err
	}
	return h, nil
}

// take locks the directory.
func (h *home) take() error {
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
func (h *home) ours() (there, ours bool) {
	lock, err := os.Stat(h.file(lockName))
	return !errors.Is(err, fs.ErrNotExist), err == nil && os.SameFile(lock, h.lock)
}

// inUse says where the dev of a directory shows its page, which it does once it has started.
func inUse(dir string) string {
	running, err := readRunning(dir)
	if err != nil {
		return "a frontdesk dev is starting in " + dir
	}
	return fmt.Sprintf("a frontdesk dev runs in %s and shows its page at %s", dir, running.PageURL)
}

func (h *home) file(name string) string { return filepath.Join(h.dir, name) }

// read returns a file of the directory.
func (h *home) read(name string) ([]byte, error) {
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
func (h *home) write(name string, content []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files[name] = content
	return h.put(name, content)
}

func (h *home) put(name string, content []byte) error {
	if err := durable.Replace(h.file(name), 0o600, content); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// rename gives a file another name, in place of what had that.
func (h *home) rename(from, to string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := os.Rename(h.file(from), h.file(to)); err != nil {
		return fmt.Errorf("keep %s: %w", to, err)
	}
	h.files[to] = h.files[from]
	delete(h.files, from)
	return nil
}

// mend makes the directory again if it is gone, with all that was in it, and reports
// whether it was. It fails if another dev has taken its place.
func (h *home) mend() (mended bool, err error) {
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
func (h *home) close() {
	if _, ours := h.ours(); ours {
		_ = os.Remove(h.file(runningName))
	}
	h.release()
}
