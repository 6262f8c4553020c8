package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"frontdesk/adapters/durable"
	"frontdesk/adapters/postgres/embedded"
)

const lockName = "sandbox.lock"

// files are those that a sandbox keeps in its directory in addition to the database. The lock
// comes last: while it is there, a removal can be repeated.
func files() []string {
	return []string{
		infoName, seedName, templateSeed, seedingNote, resetNote, clockName, keyName, masterKeyName, inboxName,
		"webhook-ca.pem", "webhook-ca-key.pem", filepath.Join(controlName, "socket"), controlName, "postgres.lock", lockName,
	}
}

// checkUnused refuses a directory without a sandbox that holds a file of a sandbox's names:
// another program made it, and the sandbox would overwrite or remove it.
func checkUnused(dir string) error {
	if exists(filepath.Join(dir, lockName)) {
		return nil
	}
	for _, name := range append(files(), "postgres") {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s exists, and no sandbox made it: choose another directory with --dir", path)
		}
	}
	return nil
}

// Keeps lists the files of the sandbox in a directory, with full paths. It is an error if
// there is no sandbox, or if it runs.
func Keeps(dir string) (paths []string, err error) {
	if !exists(filepath.Join(dir, lockName)) {
		return nil, fmt.Errorf("no sandbox keeps anything in %s: name its directory with --dir", dir)
	}
	release, err := lockAway(dir)
	if err != nil {
		return nil, err
	}
	defer release()
	data, err := embedded.Data(dir)
	if err != nil {
		return nil, err
	}
	paths = append(paths, data...)
	for _, name := range files() {
		if path := filepath.Join(dir, name); exists(path) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// Remove removes all files of the sandbox in a directory, wherever they are, and the
// directory if nothing else is in it. It returns the names of the files that it leaves there.
// It refuses while the sandbox runs.
func Remove(ctx context.Context, dir string) (left []string, err error) {
	if _, err := Keeps(dir); err != nil {
		return nil, err
	}
	release, err := lockAway(dir)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := embedded.Remove(ctx, dir); err != nil {
		return nil, err
	}
	if err := removeFiles(dir, files()); err != nil {
		return nil, fmt.Errorf("remove the sandbox: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list the remaining files: %w", err)
	}
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if len(left) == 0 {
		err = os.Remove(dir)
	}
	return left, err
}

// lockAway keeps the sandbox of a directory from starting.
func lockAway(dir string) (release func(), err error) {
	lock, err := durable.Hold(filepath.Join(dir, lockName), os.O_CREATE)
	if errors.Is(err, durable.ErrInUse) {
		return nil, fmt.Errorf("%s: %w", inUse(dir), err)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the sandbox (is the directory writable?): %w", err)
	}
	return func() { _ = lock.Close() }, nil
}

// removeFiles removes those that are there. A directory that holds something else stays.
func removeFiles(dir string, names []string) error {
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !isDir(path) {
			return err
		}
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
