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
	// longest is what every system takes as a socket's path: Linux takes 107
	// bytes, macOS 103.
	longest = 103
)

func socketFile(dir string) string { return filepath.Join(dir, ".s.PGSQL."+port) }

// socketDir is a short path, always the same for the same data, in the first
// temporary directory that suits. It belongs to the account and is closed to
// everybody else: that, checked by the kernel, is the password of a cluster
// that trusts whoever reaches its socket.
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

// makeSocketDir makes the directory, or makes sure that the one which is there
// is ours: anybody can make directories beside it.
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

// clearSocket takes a socket from whoever holds it without right: a postmaster
// whose data directory was removed under it, which is ended, or a dead one.
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
