package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	port = "5432"
	// longest is the length of a socket's path, in bytes, that every system
	// takes: Linux takes 107, macOS 103.
	longest = 103
)

func socketFile(dir string) string { return filepath.Join(dir, ".s.PGSQL."+port) }

// socketDir is a short path in the first temporary directory that suits, always
// the same for the same data. It belongs to the account and is closed to
// everybody else. The cluster trusts whoever reaches its socket, so this is its
// password, and the kernel checks it.
func (h *home) socketDir(ctx context.Context, program string) (string, error) {
	for _, tmp := range []string{os.TempDir(), "/tmp"} {
		tmp, err := canonical(tmp)
		if err != nil {
			continue
		}
		dir := filepath.Join(tmp, fmt.Sprintf("frontdesk-%d-%s", h.account.id(), digest(h.data)))
		if len(socketFile(dir)) <= longest && (h.account == nil || h.account.enters(ctx, tmp, program)) {
			return dir, nil
		}
	}
	return "", errors.New("no temporary directory has a path short enough for a socket: set TMPDIR")
}

// makeSocketDir makes the directory. If it is there already, it must be ours,
// because anybody can make directories in this place.
func (h *home) makeSocketDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	owner := ownerOf(info)
	ours := owner == h.account.id() || owner == uint32(os.Geteuid())
	if !info.IsDir() || info.Mode().Perm() != 0o700 || !ours {
		return fmt.Errorf("%s is not a directory that only Postgres can enter: remove it", dir)
	}
	return h.account.own(dir)
}

// clearSocket removes the socket of a dead postmaster, or of one whose data
// directory was removed while it ran, which it ends.
func clearSocket(ctx context.Context, dir string) error {
	lock := socketFile(dir) + ".lock"
	if p, ok := readLockFile(lock); ok && p.genuine() {
		if err := p.end(ctx); err != nil {
			return err
		}
	}
	return errors.Join(removeFile(lock), removeFile(socketFile(dir)))
}

func removeFile(path string) error { return ignoreMissing(os.Remove(path)) }

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
