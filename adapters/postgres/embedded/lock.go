package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/durable"
)

// lockFile is the file that the directory's Server holds locked.
//
// Data outside of the directory would stay for ever if a user removed the directory by
// hand. So the lock file gets a second hard link next to such data. If only that name
// is left, the directory is gone. The file's link count shows that, even if the
// directory was moved.
func (h *home) lockFile() string { return filepath.Join(h.dir, "postgres.lock") }

// markOf is the second name of the lock file, next to the data.
func markOf(data string) string { return data + ".lock" }

// claim marks the data as ours. It waits a moment in case another process is removing
// the data of an earlier directory of the same name.
func (h *home) claim(ctx context.Context) error {
	for waited := time.Duration(0); ; waited += pollEvery {
		if err := removeOrphan(ctx, markOf(h.data)); err != nil {
			return err
		}
		err := h.mark()
		if !errors.Is(err, durable.ErrInUse) || waited > patience || !background.Sleep(ctx, pollEvery) {
			return err
		}
	}
}

// mark creates the lock file's second name. It fails if the lock file of another
// directory has that name: one that was moved away, or removed while in use. On another
// file system there is no second name, and only [Remove] removes the data.
func (h *home) mark() error {
	if err := os.MkdirAll(elsewhere, 0o711); err != nil {
		return err
	}
	err := os.Link(h.lockFile(), markOf(h.data))
	switch {
	case errors.Is(err, syscall.EXDEV):
		return nil
	case errors.Is(err, fs.ErrExist) && same(h.lockFile(), markOf(h.data)):
		return nil
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%w: %s holds the data of another directory, which was here before: choose a new one", durable.ErrInUse, h.data)
	}
	return err
}

func same(a, b string) bool {
	one, err := os.Lstat(a)
	if err != nil {
		return false
	}
	other, err := os.Lstat(b)
	return err == nil && os.SameFile(one, other)
}

// removeOrphans stops and removes the clusters whose directories are gone.
func removeOrphans(ctx context.Context) error {
	marks, err := filepath.Glob(markOf(filepath.Join(elsewhere, "*")))
	if err != nil {
		return err
	}
	for _, mark := range marks {
		if err := removeOrphan(ctx, mark); err != nil {
			return err
		}
	}
	return nil
}

// removeOrphan spares a cluster that has a directory or an owner. It holds the lock,
// because others may find the same orphan at the same time.
func removeOrphan(ctx context.Context, mark string) error {
	if info, err := os.Lstat(mark); err != nil || !lastName(info) {
		return nil // there is none, or another process has removed it
	}
	lock, err := durable.Hold(mark, 0)
	if errors.Is(err, durable.ErrInUse) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	if info, err := lock.Stat(); err != nil || !lastName(info) {
		return err
	}
	orphan := home{data: strings.TrimSuffix(mark, markOf(""))}
	return firstError(orphan.remove(ctx), removeFile(mark))
}
