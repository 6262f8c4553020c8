//go:build prove

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/provetest"
)

// A machine is lost with its disk. Only the folder of backups is left, and one command brings back
// everything that was archived. Killed at any step, it is repeated.
func TestProveRestoreOfALostMachine(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.registers("ash-street")
	v.creates()
	v.registers("elm-street")
	last := v.sql("postgres", "SELECT pg_walfile_name(pg_switch_wal())") // what is not archived is lost with the machine
	v.waits(func() bool {
		return v.sql("postgres", "SELECT last_archived_wal >= '"+last+"' FROM pg_stat_archiver") == "t"
	})
	v.must("pg_ctl", "stop", "-m", "immediate", "-D", v.data)
	must(t, os.RemoveAll(v.data))
	must(t, os.Remove(v.ledger()))
	kills := 0
	for n := range 4 {
		if v.killedAfter(time.Duration(n+1)*500*time.Millisecond, v.binary, v.restore("latest")...) {
			kills++
		}
	}
	if said := v.must(v.binary, v.restore("latest")...); !strings.Contains(said, "epoch 2 has begun") {
		t.Errorf("it said %s", said)
	}
	v.start()
	if got := v.tenants(); got != "ash-street elm-street" {
		t.Errorf("after the restore there are %s", got)
	}
	provetest.Tried(t, kills, "kills")
	provetest.Tried(t, 1, "restores")
}

// A dump is restored whole or not at all, so a restore that was killed is repeated.
func TestProveRestoreOfADump(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.registers("ash-street")
	v.registers("elm-street")
	dump := filepath.Join(v.dir, "frontdesk.dump")
	v.must("pg_dump", "--format", "custom", "--no-unlogged-table-data", "--file", dump, v.as("owner"))
	v.sql("postgres", "CREATE DATABASE fresh OWNER owner")
	fresh := strings.Replace(v.as("postgres"), "/frontdesk?", "/fresh?", 1)
	restore := []string{"--dbname", fresh, "--no-owner", "--role", "owner", "--single-transaction", dump}
	kills, done := 0, false
	for n := 1; !done; n++ {
		if tables := v.sql("fresh", "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"); tables != "0" {
			t.Fatalf("a restore that was killed has left %s tables and indexes", tables)
		}
		if done = !v.killedAfter(time.Duration(n*n)*50*time.Millisecond, "pg_restore", restore...); !done {
			kills++
			v.waits(func() bool {
				return v.sql("fresh", "SELECT count(*) FROM pg_stat_activity WHERE datname = 'fresh'") == "1"
			})
		}
	}
	v.must(v.binary, "audit", "rebuild", "--database-url", strings.Replace(v.as("owner"), "/frontdesk?", "/fresh?", 1)) // it fails if read models differ from the log
	if got := v.sql("fresh", "SELECT string_agg(tenant, ' ' ORDER BY tenant) FROM practices"); got != "ash-street elm-street" {
		t.Errorf("after the restore there are %s", got)
	}
	provetest.Tried(t, kills, "kills")
	provetest.Tried(t, 1, "restores")
}
