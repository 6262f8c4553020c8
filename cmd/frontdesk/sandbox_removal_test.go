package main_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// For root, the data is outside a directory that only root may enter.
func TestRemovalLeavesNothingOfTheSandbox_D96(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	closed := t.TempDir()
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	s.Dir = filepath.Join(closed, "sandbox")
	if said, done := s.steers("remove", "--yes"); done || !strings.Contains(said, "no sandbox") {
		t.Errorf("where there is none: %s", said)
	}
	s.Start()
	data, err := filepath.EvalSymlinks(filepath.Join(s.Dir, "postgres"))
	if err != nil || (os.Geteuid() == 0) != (filepath.Dir(data) != s.Dir) {
		t.Fatalf("its data is in %s (%v)", data, err)
	}
	sockets := s.Info().AdminDatabaseURL
	other := filepath.Join(s.Dir, "notes.txt")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, done := s.steers("remove", "--yes"); done || !strings.Contains(said, "a sandbox runs in") {
		t.Errorf("while it runs: %s", said)
	}
	s.Kill() // Postgres keeps running
	if said, done := s.steers("remove"); done || !strings.Contains(said, "--yes") || !strings.Contains(said, data) {
		t.Errorf("unasked: %s", said)
	}
	said := s.mustSteer("remove", "--yes")
	if !strings.Contains(said, data) || !strings.Contains(said, "notes.txt") {
		t.Errorf("the output is %s", said)
	}
	left, err := os.ReadDir(s.Dir)
	if err != nil || len(left) != 1 || left[0].Name() != "notes.txt" {
		t.Errorf("left are %v (%v)", left, err)
	}
	for _, path := range []string{data, data + ".lock", socketDir(t, sockets)} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	s.Start()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	s.mustSteer("remove", "--yes")
	if _, err := os.Stat(s.Dir); !os.IsNotExist(err) {
		t.Errorf("an empty directory is left: %v", err)
	}
}

func socketDir(t *testing.T, databaseURL string) string {
	t.Helper()
	address, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	return address.Query().Get("host")
}
