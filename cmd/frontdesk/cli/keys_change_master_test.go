package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
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
	kid := frontdesk(t, as(old, "stage", "--json")...).lines(t)[0]["kid"].(string)

	frontdesk(t, change...).wantSuccess(t)
	frontdesk(t, as(old, "activate", kid)...).wantFailure(t, 1, "is sealed under master key", "the one given is")
	frontdesk(t, as(next, "activate", kid)...).wantSuccess(t)
	frontdesk(t, append(change, "--retire")...).wantSuccess(t)
	frontdesk(t, as(next, "stage")...).wantSuccess(t)
}
