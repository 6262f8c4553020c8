package service_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestTheMasterKeyIsChangedAtTheCommandLine_D69(t *testing.T) {
	t.Parallel()
	db, old, next := postgrestest.New(t), masterKey(t), filepath.Join(t.TempDir(), "next.key")
	if err := os.WriteFile(next, []byte(strings.Repeat("0f", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	as := func(file string, args ...string) []string {
		return append(append([]string{"keys"}, args...), "--database-url", db.URL, "--master-key-file", file)
	}
	change := []string{"keys", "change-master", "--database-url", db.AdminURL, "--master-key-file", old, "--new-master-key-file", next}
	kid := clitest.Frontdesk(t, as(old, "stage", "--json")...).Lines(t)[0]["kid"].(string)

	clitest.Frontdesk(t, change...).WantSuccess(t)
	clitest.Frontdesk(t, as(old, "activate", kid)...).WantFailure(t, 1, "is sealed under master key", "the one given is")
	clitest.Frontdesk(t, as(next, "activate", kid)...).WantSuccess(t)
	clitest.Frontdesk(t, append(change, "--retire")...).WantSuccess(t)
	clitest.Frontdesk(t, as(next, "stage")...).WantSuccess(t)
}
