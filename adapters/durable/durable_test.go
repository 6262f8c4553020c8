package durable_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/durable"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantFile(t *testing.T, name, content string, perm fs.FileMode) {
	t.Helper()
	is, err := os.ReadFile(name)
	must(t, err)
	info, err := os.Stat(name)
	must(t, err)
	if string(is) != content || info.Mode() != perm {
		t.Errorf("%s is %q with mode %s, want %q with %s", filepath.Base(name), is, info.Mode(), content, perm)
	}
}

func TestReplaceWritesWholeFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "state.json")
	must(t, os.WriteFile(name+".new", []byte("a process was killed while it wrote this"), 0o666))
	must(t, durable.Replace(name, 0o600, []byte("long content")))
	must(t, durable.Replace(name, 0o640, []byte("short")))
	wantFile(t, name, "short", 0o640)
	if _, err := os.Stat(name + ".new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("beside it: %v", err)
	}
	must(t, os.Mkdir(name+".new", 0o700)) // no user can write a file there
	if err := durable.Replace(name, 0o640, []byte("other")); err == nil {
		t.Error("what cannot be written is replaced")
	}
	wantFile(t, name, "short", 0o640)
}

func TestCreateRemovesFailedFile(t *testing.T) {
	t.Parallel()
	name, broken := filepath.Join(t.TempDir(), "draft"), errors.New("the source is broken")
	err := durable.Create(name, 0o600, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("x", 1<<20))
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a file is left: %v", err)
	}
}

func TestLockHasOneHolder(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "lock")
	if _, err := durable.Hold(name, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without O_CREATE: %v", err)
	}
	must(t, os.WriteFile(name, []byte("99999999999999\n"), 0o600)) // an earlier holder
	for range 2 {
		held, err := durable.Hold(name, os.O_CREATE)
		must(t, err)
		wantFile(t, name, fmt.Sprintln(os.Getpid()), 0o600)
		_, err = durable.Hold(name, os.O_CREATE)
		if want := fmt.Sprintf("already in use by process %d: stop that one first", os.Getpid()); !errors.Is(err, durable.ErrInUse) || err.Error() != want {
			t.Errorf("a second holder: %v, want %s", err, want)
		}
		must(t, held.Close())
	}
}

func TestSharedLockExcludesExclusive(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "users")
	one, err := durable.TryLock(name, os.O_CREATE, durable.Shared)
	must(t, err)
	other, err := durable.TryLock(name, os.O_CREATE, durable.Shared)
	must(t, err)
	must(t, one.Close())
	if _, err := durable.TryLock(name, os.O_CREATE, durable.Exclusive); !errors.Is(err, durable.ErrInUse) {
		t.Errorf("beside a shared holder: %v", err)
	}
	must(t, other.Close())
	alone, err := durable.TryLock(name, os.O_CREATE, durable.Exclusive)
	must(t, err)
	must(t, alone.Close())
}
