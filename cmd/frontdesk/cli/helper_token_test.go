package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// someApplication is the identifier of an application that no database has.
const someApplication = "01980000-0000-7000-8000-000000000001"

// keygen makes a key and a key set in a new directory.
func keygen(t *testing.T) (key, jwks string) {
	t.Helper()
	dir := t.TempDir()
	key, jwks = filepath.Join(dir, "key.pem"), filepath.Join(dir, "jwks.json")
	if o := frontdesk(t, "token", "keygen", "--key", key, "--jwks", jwks); o.status != 0 {
		t.Fatal(o.err)
	}
	return key, jwks
}

// mint mints a token of [someApplication].
func mint(t *testing.T, key string, flags ...string) string {
	t.Helper()
	o := frontdesk(t, append([]string{"token", "mint", "--key", key, "--application", someApplication}, flags...)...)
	if o.status != 0 {
		t.Fatal(o.err)
	}
	return strings.TrimSpace(o.out)
}
