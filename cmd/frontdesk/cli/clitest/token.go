package clitest

import (
	"path/filepath"
	"strings"
	"testing"
)

// SomeApplication is the identifier of an application that no database has.
const SomeApplication = "01980000-0000-7000-8000-000000000001"

// Keygen makes a key and a key set in a new directory.
func Keygen(t *testing.T) (key, jwks string) {
	t.Helper()
	dir := t.TempDir()
	key, jwks = filepath.Join(dir, "key.pem"), filepath.Join(dir, "jwks.json")
	if o := Frontdesk(t, "token", "keygen", "--key", key, "--jwks", jwks); o.Status != 0 {
		t.Fatal(o.Err)
	}
	return key, jwks
}

// Mint mints a token of [SomeApplication].
func Mint(t *testing.T, key string, flags ...string) string {
	t.Helper()
	o := Frontdesk(t, append([]string{"token", "mint", "--key", key, "--application", SomeApplication}, flags...)...)
	if o.Status != 0 {
		t.Fatal(o.Err)
	}
	return strings.TrimSpace(o.Out)
}
