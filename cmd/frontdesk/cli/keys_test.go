package cli_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
)

// masterKey is a file with a master key.
func masterKey(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "master.key")
	text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
	if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestServeRefusesToStartWithoutAMasterKey_D34(t *testing.T) {
	t.Parallel()
	serve := []string{"serve", "--database-url", postgrestest.New(t).URL, "--listen=127.0.0.1:0", "--api-domain=api.example", "--auth-url=https://auth.example"}
	frontdesk(t, append(serve, noMasterKey)...).wantFailure(t, 1, "no master key", "--master-key-file", "openssl rand -base64 32")
	frontdesk(t, append(serve, "--master-key=short")...).wantFailure(t, 1, "32 random bytes")
	frontdesk(t, append(serve, "--master-key-file=/nowhere")...).wantFailure(t, 1, "/nowhere")
}

func TestSigningKeysAreStagedListedActivatedAndRetired_D34(t *testing.T) {
	t.Parallel()
	db, file := postgrestest.New(t), masterKey(t)
	keys := func(args ...string) outcome {
		return frontdesk(t, append(append([]string{"keys"}, args...), "--database-url", db.URL, "--master-key-file", file)...)
	}
	first := keys("stage", "--json").lines(t)[0]["kid"].(string)
	keys("activate", first).wantSuccess(t)
	second := keys("stage", "--json").lines(t)[0]["kid"].(string)
	keys("activate", "--kid", second).wantFailure(t, 1, "less than 24 hours", "signing-key-too-young")
	keys("retire", "nonsense").wantFailure(t, 1, "unknown-signing-key")
	keys("retire").wantFailure(t, 1, "frontdesk keys list")
	keys("retire", second).wantSuccess(t)

	listed := frontdesk(t, "keys", "list", "--database-url", db.URL, "--json").lines(t)
	if len(listed) != 2 || listed[0]["kid"] != first || listed[0]["state"] != "active" || listed[1]["kid"] != second || listed[1]["state"] != "retired" {
		t.Errorf("listed %v", listed)
	}
	if table := frontdesk(t, "keys", "list", "--database-url", db.URL); !strings.Contains(table.out, first) || !strings.HasPrefix(table.out, "KID") {
		t.Errorf("listed for people:\n%s", table.out)
	}
	frontdesk(t, "keys", "stage", "--database-url", db.URL, noMasterKey).wantFailure(t, 1, "no master key")
}

func TestAnotherMasterKeyActivatesNothing_D34(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	kid := frontdesk(t, "keys", "stage", "--json", "--database-url", db.URL, "--master-key-file", masterKey(t)).lines(t)[0]["kid"].(string)
	another := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 32)))
	frontdesk(t, "keys", "activate", kid, "--database-url", db.URL, "--master-key", another).wantFailure(t, 1, "sealed under master key")
}
