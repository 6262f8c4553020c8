package statedir_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/statedir"
)

func open(t *testing.T, path string) *statedir.Dir {
	t.Helper()
	dir, err := statedir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	return dir
}

func TestWrittenFileCanBeRead(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	dir := open(t, path)
	if b, err := dir.Read("log"); b != nil || err != nil {
		t.Fatalf("before anything is written it reads %q, %v", b, err)
	}
	for _, text := range []string{"one, which is longer", "two"} {
		if err := dir.Write("log", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	// A process that was killed while it wrote leaves this.
	if err := os.WriteFile(filepath.Join(path, "log.new"), []byte("three, half of i"), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = dir.Close()
	dir = open(t, path)
	if b, err := dir.Read("log"); string(b) != "two" || err != nil {
		t.Errorf("it reads %q, %v", b, err)
	}
	if err := dir.Write("log", []byte("3")); err != nil {
		t.Fatal(err)
	}
	if b, err := dir.Read("log"); string(b) != "3" || err != nil {
		t.Errorf("after that it reads %q, %v", b, err)
	}
}

func TestOneProcessHoldsADirectory(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	dir := open(t, path)
	if _, err := statedir.Open(path); !errors.Is(err, statedir.ErrInUse) {
		t.Errorf("a second process: %v", err)
	}
	_ = dir.Close()
	open(t, path)
}

func TestADirectoryThatIsNotThereIsNotMade(t *testing.T) {
	t.Parallel()
	_, err := statedir.Open(filepath.Join(t.TempDir(), "state"))
	if err == nil || !strings.Contains(err.Error(), "make it once, with mkdir") {
		t.Errorf("a state that is missing: %v", err)
	}
}

func TestFailedWriteKeepsOldFile(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	dir := open(t, path)
	if err := dir.Write("log", []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(path, "log.new"), 0o700); err != nil { // nothing can be written there, even as root
		t.Fatal(err)
	}
	if err := dir.Write("log", []byte("two")); err == nil {
		t.Error("it says that it is written")
	}
	if b, err := dir.Read("log"); string(b) != "one" || err != nil {
		t.Errorf("it reads %q, %v", b, err)
	}
}
