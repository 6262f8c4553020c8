package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Remove stops the cluster of dir, if it runs, and removes it with all data.
// It fails with [ErrInUse] while a [Server] owns it.
func Remove(ctx context.Context, dir string) error {
	if err := remove(ctx, dir); err != nil {
		return fmt.Errorf("remove Postgres in %s: %w", dir, err)
	}
	return nil
}

func remove(ctx context.Context, dir string) error {
	h, err := open(dir)
	if err != nil {
		return err
	}
	lock, err := acquire(h.lockFile(), os.O_CREATE)
	if err != nil {
		return err
	}
	defer release(lock)
	if err := h.remove(ctx); err != nil {
		return err
	}
	return removeFile(filepath.Join(h.dir, "postgres")) // the link, where the data lived elsewhere
}
