package service_test

import (
	"os"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// ringOf returns the identifiers of the keys in a file.
func ringOf(t *testing.T, file string) []string {
	t.Helper()
	keys, err := sealing.ReadRing(file)
	clitest.Must(t, err)
	return sealing.NewRing(keys...).IDs()
}

// A master key from the first rotation to its end, at the command line.
func TestMasterKeyIsRotatedAtCommandLine_D136(t *testing.T) {
	t.Parallel()
	db, file := postgrestest.New(t), masterKey(t)
	as := func(url string, args ...string) []string {
		return append(append([]string{"key"}, args...), "--database-url", url, "--master-key-file", file)
	}
	serving := func(args ...string) []string { return as(db.URL, args...) }
	owner := func(args ...string) []string { return as(db.AdminURL, args...) }
	clitest.Frontdesk(t, owner("rotate-master")...).WantFailure(t, 1, "nothing is encrypted in this database yet")
	kid := clitest.Frontdesk(t, serving("stage", "--json")...).Lines(t)[0]["kid"].(string)
	alone, err := os.ReadFile(file)
	clitest.Must(t, err)

	clitest.Frontdesk(t, owner("rotate-master", "--older-than=28d")...).WantSuccess(t)
	if ids := ringOf(t, file); len(ids) != 1 {
		t.Fatalf("a key that is young was rotated: %v", ids)
	}
	clitest.Frontdesk(t, owner("rotate-master", "--check", "--older-than=28d")...).WantSuccess(t)
	o := clitest.Frontdesk(t, owner("rotate-master")...)
	o.WantSuccess(t)
	ids := ringOf(t, file)
	if len(ids) != 2 || !strings.Contains(o.Out, "added master key "+ids[0]) || !strings.Contains(o.Out, "under master key "+ids[0]) ||
		!strings.Contains(o.Out, "master key "+ids[1]+" wraps no key any longer") {
		t.Fatalf("ring %v; printed\n%s", ids, o.Out)
	}
	clitest.Frontdesk(t, serving("activate", kid)...).WantSuccess(t) // its private half was encrypted again

	check := clitest.Frontdesk(t, owner("rotate-master", "--check", "--json")...)
	check.WantSuccess(t)
	state := check.Lines(t)[0]
	if keys := state["keys"].([]any); len(keys) != 2 || keys[0].(map[string]any)["unusedAt"] == nil || keys[1].(map[string]any)["id"] != ids[0] || state["due"] != false {
		t.Errorf("the check prints %s", check.Out)
	}
	table := clitest.Frontdesk(t, owner("rotate-master", "--check")...)
	if !strings.Contains(table.Out, "unused since") || !strings.Contains(table.Out, "wraps since") {
		t.Errorf("the check prints\n%s", table.Out)
	}

	clitest.Frontdesk(t, owner("retire-master", "--oldest-backup=2026-01-01")...).WantFailure(t, 1, ids[1]+" stays", "needed by backups from before")
	clitest.Frontdesk(t, owner("retire-master", "--oldest-backup=yesterday")...).WantFailure(t, 2, "is no date")
	clitest.Frontdesk(t, owner("retire-master", "--oldest-backup=2100-01-01")...).WantSuccess(t)
	if left := ringOf(t, file); len(left) != 1 || left[0] != ids[0] {
		t.Errorf("the ring holds %v", left)
	}
	clitest.Frontdesk(t, owner("retire-master", "--oldest-backup=2100-01-01")...).WantSuccess(t) // nothing is left to do

	destroyed := func(id string, flags ...string) []string {
		return append([]string{"key", "destroyed", id, "--database-url", db.AdminURL}, flags...)
	}
	clitest.Frontdesk(t, destroyed(ids[1])...).WantFailure(t, 1, "give --yes")
	clitest.Frontdesk(t, destroyed(ids[0], "--yes")...).WantFailure(t, 1, "rotate to another one first")
	clitest.Frontdesk(t, destroyed("0f", "--yes")...).WantFailure(t, 1, "knows no such master key")
	clitest.Frontdesk(t, destroyed(ids[1], "--yes")...).WantSuccess(t)

	clitest.Must(t, os.WriteFile(file, alone, 0o600))
	clitest.Frontdesk(t, serving("stage")...).WantFailure(t, 1, "is sealed under master key", ids[0])
}
