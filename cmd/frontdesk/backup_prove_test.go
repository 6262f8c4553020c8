//go:build prove

package main_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"
)

// vault is a cluster that archives its WAL into a folder of backups.
type vault struct {
	t                       *testing.T
	dir, data, folder, port string
	binary                  string
}

func newVault(t *testing.T) *vault {
	t.Helper()
	dir := postgrestest.Dir(t)
	v := &vault{t: t, dir: dir, data: filepath.Join(dir, "main"), folder: filepath.Join(dir, "backups"), port: strconv.Itoa(freePort(t)), binary: testworld.Binary(t)}
	if os.Geteuid() == 0 {
		owner := userOf(t, "postgres")
		must(t, os.Chown(dir, int(owner.Uid), int(owner.Gid)))
	}
	v.must("initdb", "-D", v.data, "-A", "trust", "-U", "postgres", "--no-sync")
	v.must("mkdir", v.folder)
	v.must("touch", v.ledger())
	settings := "port = " + v.port + "\nunix_socket_directories = '" + dir + "'\nlisten_addresses = ''\narchive_mode = on\nfsync = off\n" +
		"archive_command = '" + v.binary + " backup archive-wal --to " + v.folder + " %p %f'\n"
	file, err := os.OpenFile(filepath.Join(v.data, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = file.WriteString(settings)
	must(t, err)
	must(t, file.Close())
	v.start()
	t.Cleanup(func() { _, _ = v.try("pg_ctl", "stop", "-m", "immediate", "-D", v.data) })
	v.sql("postgres", v.must(v.binary, "roles"))
	v.sql("postgres", "CREATE ROLE owner LOGIN")
	v.sql("postgres", "CREATE DATABASE frontdesk OWNER owner")
	v.must(v.binary, "migrate", "--database-url", v.as("owner"))
	return v
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (v *vault) ledger() string { return filepath.Join(v.dir, "erasures") }

func (v *vault) as(role string) string {
	return "postgres:///frontdesk?host=" + v.dir + "&port=" + v.port + "&user=" + role
}

func (v *vault) start() {
	v.must("pg_ctl", "start", "-w", "-D", v.data, "-l", filepath.Join(v.dir, "log"))
}
func (v *vault) stop() { v.must("pg_ctl", "stop", "-m", "fast", "-D", v.data) }

// command is a command of the user who owns the cluster.
func (v *vault) command(program string, args ...string) *exec.Cmd {
	if !filepath.IsAbs(program) {
		if at := filepath.Join(programs(v.t), program); fileExists(at) {
			program = at
		}
	}
	cmd := exec.CommandContext(context.WithoutCancel(v.t.Context()), program, args...)
	cmd.Dir = "/"
	// PGPORT is of the running cluster, not of the restored one, and TMPDIR may be another user's.
	cmd.Env = append(os.Environ(), "PGPORT=1", "TMPDIR="+v.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = userOf(v.t, "postgres")
	}
	return cmd
}

func fileExists(name string) bool { _, err := os.Stat(name); return err == nil }

func (v *vault) try(program string, args ...string) (string, error) {
	cmd := v.command(program, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	return said.String(), err
}

func (v *vault) must(program string, args ...string) string {
	v.t.Helper()
	said, err := v.try(program, args...)
	if err != nil {
		v.t.Fatalf("%s %s: %v: %s", program, strings.Join(args, " "), err, said)
	}
	return said
}

func (v *vault) sql(database, sql string) string {
	v.t.Helper()
	return strings.TrimSpace(v.must("psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", v.dir, "-p", v.port, "-U", "postgres", "-d", database, "-c", sql))
}

func (v *vault) registers(tenant string) {
	v.t.Helper()
	v.must(v.binary, "practice", "register", "--database-url", v.as("frontdesk_app"), "--tenant", tenant, "--name", tenant)
}

func (v *vault) creates() string {
	v.t.Helper()
	said := v.must(v.binary, "backup", "create", "--to", v.folder, "--erasure-ledger", v.ledger(), "--cluster-url", v.as("postgres"))
	if !strings.Contains(said, "is on the disk of the database") { // both are in the folder of this test
		v.t.Errorf("it does not warn: %s", said)
	}
	return said
}

func (v *vault) restore(to string) []string {
	return []string{"backup", "restore", "--from", v.folder, "--to", to, "--data", v.data, "--yes"}
}

func (v *vault) tenants() string {
	return v.sql("frontdesk", "SELECT string_agg(tenant, ' ' ORDER BY tenant) FROM practices")
}

// A database is taken back to an instant, with one command. Killed while it unpacks, plays or
// looks, the command is repeated.
func TestProveRestoreToAnInstant(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.registers("ash-street")
	v.creates()
	v.registers("elm-street")
	instant := v.sql("postgres", "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')")
	v.registers("oak-street")
	v.sql("postgres", "SELECT pg_switch_wal()")
	if said, err := v.try(v.binary, v.restore(instant)...); err == nil || !strings.Contains(said, "stop it first") {
		t.Fatalf("beside a running cluster: %v: %s", err, said)
	}
	v.stop()
	for n := range 4 {
		v.killed(n, v.restore(instant))
	}
	said := v.must(v.binary, v.restore(instant)...)
	if !strings.Contains(said, "epoch 2 has begun") || !strings.Contains(said, "lost:") {
		t.Errorf("it said %s", said)
	}
	v.start()
	if got := v.tenants(); got != "ash-street elm-street" {
		t.Errorf("after the restore there are %s", got)
	}
	kept, err := filepath.Glob(v.data + ".before-*")
	if err != nil || len(kept) != 1 {
		t.Errorf("the earlier data directory is in %v, %v", kept, err)
	}
	provetest.Tried(t, 5, "restores")
}

// killed runs a command of the program and kills it, later each time.
func (v *vault) killed(n int, args []string) {
	v.t.Helper()
	v.killedAfter(time.Duration(n+1)*700*time.Millisecond, v.binary, args...)
}

// killedAfter runs a command and kills it, and reports whether it had not ended before.
func (v *vault) killedAfter(long time.Duration, program string, args ...string) bool {
	v.t.Helper()
	cmd := v.command(program, args...)
	must(v.t, cmd.Start())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	select {
	case <-ended:
		if !cmd.ProcessState.Success() {
			v.t.Errorf("%s %s ended by itself, with %v", filepath.Base(program), args[:2], cmd.ProcessState)
		}
		return false
	case <-time.After(long):
		must(v.t, cmd.Process.Kill())
		<-ended
		return true
	}
}

// A verification finds what would make a restore fail.
func TestProveBackupVerificationFinds(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.registers("elm-street")
	v.killed(0, []string{"backup", "create", "--to", v.folder, "--erasure-ledger", v.ledger(), "--cluster-url", v.as("postgres")})
	v.creates()
	v.registers("oak-street")
	v.sql("postgres", "SELECT pg_switch_wal()")
	v.registers("ash-street")
	v.sql("postgres", "SELECT pg_switch_wal()")
	v.waits(func() bool {
		return v.sql("postgres", "SELECT last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 16777217) FROM pg_stat_archiver") == "t"
	})
	verify := func(want string) {
		t.Helper()
		said, err := v.try(v.binary, "backup", "verify", "--from", v.folder)
		if (err != nil) != (want != "is good") || !strings.Contains(said, want) {
			t.Errorf("wanted %q: %v: %s", want, err, said)
		}
	}
	verify("is good")
	bases, err := filepath.Glob(filepath.Join(v.folder, "base-*Z"))
	must(t, err)
	segments, err := filepath.Glob(filepath.Join(v.folder, "wal", "0*[0-9A-F]"))
	must(t, err)
	lost := func(name, want string) {
		t.Helper()
		must(t, os.Rename(name, name+".away"))
		verify(want)
		must(t, os.Rename(name+".away", name))
	}
	lost(filepath.Join(v.folder, "erasures"), "ledger of erasures is not in the backup")
	lost(filepath.Join(bases[len(bases)-1], "pg_wal.tar.gz"), "lacks the file pg_wal.tar.gz")
	lost(segments[len(segments)-2], "the archive lacks the WAL segment")
	v.damages(filepath.Join(bases[len(bases)-1], "base.tar.gz"), func() { verify("is damaged") })
	v.damages(segments[len(segments)-2], func() { verify("damaged") })
	verify("is good")
	provetest.Tried(t, 6, "verifications")
}

// damages changes a byte in the middle of a file's beginning while something is done.
func (v *vault) damages(name string, do func()) {
	v.t.Helper()
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	must(v.t, err)
	defer file.Close()
	const at = 300
	var was [1]byte
	_, err = file.ReadAt(was[:], at)
	must(v.t, err)
	_, err = file.WriteAt([]byte{^was[0]}, at)
	must(v.t, err)
	do()
	_, err = file.WriteAt(was[:], at)
	must(v.t, err)
}

func (v *vault) waits(holds func() bool) {
	v.t.Helper()
	for watch := clock.Start(); !holds(); time.Sleep(200 * time.Millisecond) {
		if watch.Elapsed() > time.Minute {
			v.t.Fatal("waited for a minute")
		}
	}
}
