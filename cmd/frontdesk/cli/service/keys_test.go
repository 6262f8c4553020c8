package service_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
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
	clitest.Frontdesk(t, append(serve, clitest.NoMasterKey)...).WantFailure(t, 1, "no master key", "--master-key-file", "openssl rand -base64 32")
	clitest.Frontdesk(t, append(serve, "--master-key=short")...).WantFailure(t, 1, "32 random bytes")
	clitest.Frontdesk(t, append(serve, "--master-key-file=/nowhere")...).WantFailure(t, 1, "/nowhere")
}

func TestSigningKeysGoThroughTheirStates_D34(t *testing.T) {
	t.Parallel()
	db, file := postgrestest.New(t), masterKey(t)
	keys := func(args ...string) clitest.Outcome {
		return clitest.Frontdesk(t, append(append([]string{"key"}, args...), "--database-url", db.URL, "--master-key-file", file)...)
	}
	first := keys("stage", "--json").Lines(t)[0]["kid"].(string)
	keys("activate", first).WantSuccess(t)
	second := keys("stage", "--json").Lines(t)[0]["kid"].(string)
	keys("activate", "--kid", second).WantFailure(t, 1, "less than 24 hours", "signing-key-too-young")
	keys("retire", "nonsense").WantFailure(t, 1, "unknown-signing-key")
	keys("retire").WantFailure(t, 1, "frontdesk key list")
	keys("retire", second).WantSuccess(t)

	listed := clitest.Frontdesk(t, "key", "list", "--database-url", db.URL, "--json").Lines(t)
	if len(listed) != 2 || listed[0]["kid"] != first || listed[0]["state"] != "active" || listed[1]["kid"] != second || listed[1]["state"] != "retired" {
		t.Errorf("listed %v", listed)
	}
	if table := clitest.Frontdesk(t, "key", "list", "--database-url", db.URL); !strings.Contains(table.Out, first) || !strings.HasPrefix(table.Out, "KID") {
		t.Errorf("listed for people:\n%s", table.Out)
	}
	clitest.Frontdesk(t, "key", "stage", "--database-url", db.URL, clitest.NoMasterKey).WantFailure(t, 1, "no master key")
}

func TestOperatorChoosesSizeOfKey_D34(t *testing.T) {
	t.Parallel()
	db, file := postgrestest.New(t), masterKey(t)
	stage := func(args ...string) clitest.Outcome {
		return clitest.Frontdesk(t, append([]string{"key", "stage", "--database-url", db.URL, "--master-key-file", file}, args...)...)
	}
	stage().WantSuccess(t)
	stage("--bits=3072").WantSuccess(t)
	stage("--bits=1024").WantFailure(t, 2, "--bits must be one of")
	var sizes []int
	for _, key := range clitest.Frontdesk(t, "key", "list", "--database-url", db.URL, "--json").Lines(t) {
		modulus, err := base64.RawURLEncoding.DecodeString(key["publicKey"].(map[string]any)["n"].(string))
		clitest.Must(t, err)
		sizes = append(sizes, 8*len(modulus))
	}
	if want := []int{2048, 3072}; !slices.Equal(sizes, want) {
		t.Errorf("the keys have %v bits, want %v", sizes, want)
	}
}

func TestAnotherMasterKeyActivatesNothing_D34(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	kid := clitest.Frontdesk(t, "key", "stage", "--json", "--database-url", db.URL, "--master-key-file", masterKey(t)).Lines(t)[0]["kid"].(string)
	another := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 32)))
	clitest.Frontdesk(t, "key", "activate", kid, "--database-url", db.URL, "--master-key", another).WantFailure(t, 1, "sealed under master key")
}
