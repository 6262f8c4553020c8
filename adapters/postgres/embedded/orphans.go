package embedded

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Data that lives outside of its directory would stay for ever when somebody
// removes the directory by hand. So the lock file in the directory has a
// second name beside the data: when only that one is left, the directory is
// gone. Its count of names says so, however often the directory was moved.

func (h *home) lockFile() string { return filepath.Join(h.dir, "postgres.lock") }

// markOf is the second name of the lock file, beside the data.
func markOf(data string) string { return data + ".lock" }

// mark gives the lock file its second name. On another file system it cannot
// have one; then removing the data stays a matter of [Remove].
func (h *home) mark() error {
	if err := removeFile(markOf(h.data)); err != nil {
		return err
	}
	if err := os.Link(h.lockFile(), markOf(h.data)); err != nil && !errors.Is(err, syscall.EXDEV) {
		return err
	}
	return nil
}

// removeOrphans ends and removes the clusters whose directories are gone.
func removeOrphans(ctx context.Context) error {
	marks, err := filepath.Glob(markOf(filepath.Join(elsewhere, "*")))
	if err != nil {
		return err
	}
	for _, mark := range marks {
		if info, err := os.Lstat(mark); err != nil || info.Sys().(*syscall.Stat_t).Nlink > 1 {
			continue
		}
		orphan := home{data: strings.TrimSuffix(mark, markOf(""))}
		if err := firstError(orphan.remove(ctx), removeFile(mark)); err != nil {
			return err
		}
	}
	return nil
}
