package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A sandbox begins only where nothing has the name of one of its files, so each such file that
// it removes later is its own.
func TestSandboxRefusesForeignFiles_D145(t *testing.T) {
	t.Parallel()
	for _, name := range append(files(), "postgres") {
		if name == lockName {
			continue
		}
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("nowhere", path); err != nil {
			t.Fatal(err)
		}
		if _, err := claim(dir); err == nil || !strings.Contains(err.Error(), "no sandbox made it") {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s is gone: %v", name, err)
		}
		if exists(filepath.Join(dir, lockName)) {
			t.Errorf("%s: the directory counts as a sandbox's from now on", name)
		}
	}
	dir := t.TempDir()
	for range 2 { // the second time with a file of the first
		release, err := claim(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, seedName), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		release()
	}
}
