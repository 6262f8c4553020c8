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
)

// Data that lives outside of its directory would stay for ever when somebody
// removes the directory by hand. So the lock file in the directory has a
// second name beside the data: when only that one is left, the directory is
// gone. Its count of names says so, however often the directory was moved.

func (h *home) lockFile() string { return filepath.Join(h.dir, "postgres.lock") }

// markOf is the second name of the lock file, beside the data.
func markOf(data string) string { return data + ".lock" }

// claim marks the data as ours. What an earlier directory of the same name has
// left there may be being removed by somebody else at this moment.
func (h *home) claim(ctx context.Context) error {
	for waited := time.Duration(0); ; waited += pollEvery {
		if err := removeOrphan(ctx, markOf(h.data)); err != nil {
			return err
		}
		err := h.mark()
		if !errors.Is(err, ErrInUse) || waited > patience || pause(ctx, pollEvery) != nil {
			return err
		}
	}
}

// mark gives the lock file its second name, unless another one bears it: that
// of a directory which was moved away, or removed while in use. On another
// file system there is no second name; then [Remove] alone removes the data.
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
		return fmt.Errorf("%w: %s holds the data of another directory, which was here before: choose a new one", ErrInUse, h.data)
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

// removeOrphans ends and removes the clusters whose directories are gone.
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

// removeOrphan does nothing to a cluster with a directory or an owner. It
// holds the lock, since others may find the same orphan at the same time.
func removeOrphan(ctx context.Context, mark string) error {
	if info, err := os.Lstat(mark); err != nil || !lastName(info) {
		return nil // none, or somebody else has removed it
	}
	lock, err := acquire(mark, 0)
	if errors.Is(err, ErrInUse) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer release(lock)
	if info, err := lock.Stat(); err != nil || !lastName(info) {
		return err
	}
	orphan := home{data: strings.TrimSuffix(mark, markOf(""))}
	return firstError(orphan.remove(ctx), removeFile(mark))
}

// lastName reports whether a file has one name; one that was removed has none.
func lastName(info fs.FileInfo) bool { return info.Sys().(*syscall.Stat_t).Nlink == 1 }
