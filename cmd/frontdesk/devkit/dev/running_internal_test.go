package dev

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of another user in a directory above is not trusted: it could redirect this user's
// tokens.
func TestFileOfAnotherUserIsNotTrusted_D97(t *testing.T) {
	t.Parallel()
	dir, me := t.TempDir(), os.Geteuid()
	file := filepath.Join(dir, runningName)
	if err := os.WriteFile(file, []byte(`{"apiURL": "http://127.0.0.1:1", "process": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := readRunningAs(me, dir); err != nil || found.APIURL == "" {
		t.Errorf("one's own is not believed: %v", err)
	}
	other := me + 1
	if me == 0 { // root's files are trusted by every user
		if err := os.Chown(file, 1234, -1); err != nil {
			t.Fatal(err)
		}
		other = 0
	}
	if found, err := readRunningAs(other, dir); err == nil || !strings.Contains(err.Error(), "belongs to another user") || found.APIURL != "" {
		t.Errorf("another's is believed: %+v, %v", found, err)
	}
}
