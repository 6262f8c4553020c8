package integrate_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestKeySetKeepsUnknownMembers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key, jwks := filepath.Join(dir, "key.pem"), filepath.Join(dir, "jwks.json")
	const before = `{"owner":"us","keys":[{"kty":"EC","crv":"secp256k1","note":"another program's"},{"kty":"RSA","n":"AQAB","e":"AQAB","x":1}]}`
	if err := os.WriteFile(jwks, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	if o := clitest.Frontdesk(t, "token", "keygen", "--key", key, "--jwks", jwks); o.Status != 0 {
		t.Fatal(o.Err)
	}
	var set struct {
		Owner string
		Keys  []map[string]any
	}
	if err := json.Unmarshal([]byte(clitest.ReadFile(t, jwks)), &set); err != nil {
		t.Fatal(err)
	}
	if set.Owner != "us" || len(set.Keys) != 3 || set.Keys[0]["note"] == nil || set.Keys[1]["x"] == nil || set.Keys[2]["kid"] == nil {
		t.Errorf("the key set is\n%s", clitest.ReadFile(t, jwks))
	}
}

func TestAKeyThatCannotBePublishedIsNotMade_D57(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key, other := filepath.Join(dir, "key.pem"), filepath.Join(dir, "package.json")
	if err := os.WriteFile(other, []byte(`{"name":"mine"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for jwks, says := range map[string]string{
		key: "--jwks", other: "no key set", os.DevNull: "--jwks", "-": "--jwks", dir: "folder",
		filepath.Join(dir, "none", "jwks.json"): "make a file in",
	} {
		clitest.Frontdesk(t, "token", "keygen", "--key", key, "--jwks", jwks).WantFailure(t, 1, says)
		if _, err := os.Lstat(key); err == nil {
			t.Errorf("--jwks %s: a key was left", jwks)
			_ = os.Remove(key)
		}
	}
	if got := clitest.ReadFile(t, other); got != `{"name":"mine"}` {
		t.Errorf("it wrote over a file of somebody else: %s", got)
	}
}
