package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
)

// Superuser is the role that owns the cluster.
const Superuser = "postgres"

// Config describes a cluster. Only Dir is required.
type Config struct {
	// Dir is the directory of the cluster's user, which is made when missing;
	// the data lives in its sub-directory "postgres". Whoever makes it as root
	// lets others pass through it (mode 0711), or the data has to live
	// elsewhere: Postgres never runs as root.
	Dir string
	// Log hears when Postgres comes up, adopted or started, and when it is
	// stopped. Default: nobody.
	Log *slog.Logger
	// Volatile gives durability away for speed. A volatile cluster that was
	// not stopped in order is made anew, empty, by the next start.
	Volatile bool
	// MaxConnections defaults to 100.
	MaxConnections int
	// Binaries is the directory of initdb, pg_ctl and postgres. Default:
	// looked for on PATH and in the usual places.
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

// settings is the text of the configuration file that Postgres includes.
//
// Errors of single statements are not logged: their texts quote values, which
// may be a patient's, and the program that sent the statement has them anyway.
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
			"dynamic_shared_memory_type = mmap") // files among the data, which go with them
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
