package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
)

// The roles of a new cluster and its databases.
const (
	Superuser = "postgres"        // owns the cluster
	Owner     = "frontdesk_owner" // owns the databases; a plain role, which may create roles and see standbys
)

// Config describes a cluster. Only Dir is required.
type Config struct {
	// Dir is the caller's directory, which is created if it is missing. The data lives
	// in its sub-directory "postgres". Postgres never runs as root, so a directory of
	// root's should be traversable for others (mode 0711); otherwise the data lives
	// elsewhere.
	Dir string
	// Log gets a line when Postgres comes up, adopted or started, and when it is
	// stopped. Default: no log.
	Log *slog.Logger
	// Volatile trades durability for speed. If a volatile cluster was not shut down
	// cleanly, the next start creates a new, empty one.
	Volatile bool
	// MaxConnections defaults to 100.
	MaxConnections int
	// Binaries is the directory of initdb, pg_ctl and postgres. By default they are
	// searched for on PATH and in the default places of packages.
	Binaries string
}

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.MaxConnections == 0 {
		c.MaxConnections = 100
	}
	return c
}

// settings is the text of the included configuration file.
//
// Errors of single statements are not logged. Their texts quote values, which may be
// patient data, and the program that sent the statement gets them anyway.
func (c Config) settings(socket string) string {
	lines := []string{
		"listen_addresses = ''",
		"unix_socket_directories = " + quote(socket),
		"unix_socket_permissions = 0700",
		"port = " + port,
		fmt.Sprintf("max_connections = %d", c.MaxConnections),
		"max_wal_size = '256MB'",
		"timezone = 'UTC'",
		"log_timezone = 'UTC'",
		"log_min_messages = log",
		"log_min_error_statement = panic",
		"log_error_verbosity = terse",
		"log_checkpoints = off",
	}
	if c.Volatile {
		lines = append(lines,
			"fsync = off", "synchronous_commit = off", "full_page_writes = off",
			"wal_level = minimal", "max_wal_senders = 0",
			"dynamic_shared_memory_type = mmap") // files among the data, which are removed with it
	}
	return strings.Join(lines, "\n") + "\n"
}

// quote writes a string value of a configuration file.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func (c Config) installations(ctx context.Context) []installation {
	if c.Binaries != "" {
		return probe(ctx, []string{c.Binaries})
	}
	return installations(ctx, os.Getenv("PATH"), usual)
}

const (
	port = "5432"
	// longest is the maximum length of a socket's path on every system, in bytes: Linux
	// allows 107, macOS 103.
	longest = 103
)

func socketFile(dir string) string { return filepath.Join(dir, ".s.PGSQL."+port) }

// socketDir is a short path in the first suitable temporary directory, always the same
// for the same data. It belongs to the account and is closed to all others. The cluster
// trusts every client of its socket, so these permissions replace a password, and the
// kernel enforces them.
func (h *home) socketDir(ctx context.Context, program string) (string, error) {
	for _, tmp := range []string{os.TempDir(), "/tmp"} {
		tmp, err := canonical(tmp)
		if err != nil {
			continue
		}
		dir := filepath.Join(tmp, h.socketName())
		if len(socketFile(dir)) <= longest && (h.account == nil || h.account.enters(ctx, tmp, program)) {
			return dir, nil
		}
	}
	return "", errors.New("no temporary directory has a path short enough for a socket: set TMPDIR")
}

// removeSockets removes the sockets of a postmaster that was killed.
func (h *home) removeSockets() error {
	for _, tmp := range []string{os.TempDir(), "/tmp"} {
		dir := filepath.Join(tmp, h.socketName())
		if info, err := os.Lstat(dir); err != nil || !h.ours(info) {
			continue
		}
		if err := errors.Join(removeFile(socketFile(dir)+".lock"), removeFile(socketFile(dir)), removeFile(dir)); err != nil {
			return err
		}
	}
	return nil
}

func (h *home) socketName() string {
	return fmt.Sprintf("frontdesk-%d-%s", h.account.id(), digest(h.data))
}

// ours reports whether a directory is one that we created for a socket.
func (h *home) ours(info fs.FileInfo) bool {
	owner := ownerOf(info)
	ours := owner == h.account.id() || owner == uint32(os.Geteuid())
	return info.IsDir() && info.Mode().Perm() == 0o700 && ours
}

// makeSocketDir creates the directory. If it exists, it must be ours, because any user
// can create directories here.
func (h *home) makeSocketDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !h.ours(info) {
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
