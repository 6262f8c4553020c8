//go:build prove

package postgrestest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
)

// PooledMode is the option of a database's URL that keeps the driver from naming
// prepared statements, which another connection would not have.
const PooledMode = "default_query_exec_mode=cache_describe"

const pooling = `[databases]
* = host=%s port=%s
[pgbouncer]
pool_mode = transaction
listen_addr =
listen_port = %[2]s
unix_socket_dir = %[3]s
auth_type = trust
auth_file = %[3]s/roles
`

// Pooled returns the URL of the same database behind a PgBouncer of its own, which lends
// connections for one transaction.
func Pooled(t *testing.T, database string) string {
	t.Helper()
	at, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	query, dir := at.Query(), shortDirectory(t)
	host, port := query.Get("host"), query.Get("port")
	settings := filepath.Join(dir, "pgbouncer.ini")
	write(t, settings, fmt.Sprintf(pooling, host, port, dir))
	var users strings.Builder
	for _, role := range []string{postgres.AppRole, postgres.AuditRole, postgres.SignerRole} {
		fmt.Fprintf(&users, "%q \"\"\n", role)
	}
	write(t, filepath.Join(dir, "roles"), users.String())
	query.Set("host", dir)
	at.RawQuery = query.Encode() + "&" + PooledMode
	startPgBouncer(t, settings, ownerOf(t, filepath.Join(host, ".s.PGSQL."+port)))
	waitForDatabase(t, at.String())
	return at.String()
}

// startPgBouncer runs it until the test ends, as a user with access to Postgres, if
// there is a choice.
func startPgBouncer(t *testing.T, settings string, as *user.User) {
	t.Helper()
	path, err := exec.LookPath("pgbouncer")
	if err != nil {
		path = "/usr/sbin/pgbouncer" // Debian's, which is only in root's path
	}
	bouncer := exec.CommandContext(context.WithoutCancel(t.Context()), path, settings)
	if os.Geteuid() == 0 {
		bouncer.Args = append(bouncer.Args, "-u", as.Username)
		chown(t, filepath.Dir(settings), as)
	}
	if err := bouncer.Start(); err != nil {
		t.Fatalf("start PgBouncer, Debian's package pgbouncer: %v", err)
	}
	t.Cleanup(func() {
		_ = bouncer.Process.Signal(syscall.SIGTERM) // at once
		_ = bouncer.Wait()
	})
}

const poolerLimit = 30 * time.Second

func waitForDatabase(t *testing.T, database string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), poolerLimit)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, database)
		if err == nil {
			_ = conn.Close(ctx)
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("PgBouncer does not answer: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// shortDirectory is one with a name short enough for a socket's path.
func shortDirectory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "frontdesk-pgbouncer-") //nolint:usetesting // it is PgBouncer's user's, and t.TempDir is shut to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func ownerOf(t *testing.T, file string) *user.User {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := user.LookupId(strconv.Itoa(int(info.Sys().(*syscall.Stat_t).Uid)))
	if err != nil {
		t.Fatal(err)
	}
	return owner
}

func chown(t *testing.T, file string, to *user.User) {
	t.Helper()
	uid, _ := strconv.Atoi(to.Uid)
	gid, _ := strconv.Atoi(to.Gid)
	if err := os.Chown(file, uid, gid); err != nil {
		t.Fatal(err)
	}
}
