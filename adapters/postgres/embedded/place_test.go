package embedded_test

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/embedded"
)

func TestAnyDirectoryWillDo(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("longer than a socket's path/", 8)
	config := embedded.Config{Dir: filepath.Join(open(t), long, "№1"), Volatile: true}
	removeAfter(t, config.Dir)
	s := start(t, config)
	write(t, s)
	stop(t, s)
	wantWritten(t, start(t, config))
}

// Root's home is closed to the user who runs Postgres for root. For other users this is
// a normal directory.
func TestClosedDirectoryKeepsItsData(t *testing.T) {
	t.Parallel()
	closed := t.TempDir()
	must(t, os.Chmod(closed, 0o700))
	config := embedded.Config{Dir: filepath.Join(closed, "dir"), Volatile: true}
	removeAfter(t, config.Dir)
	s := start(t, config)
	if info, err := os.Lstat(filepath.Join(config.Dir, "postgres")); err != nil || (os.Geteuid() == 0) != (info.Mode()&os.ModeSymlink != 0) {
		t.Errorf("postgres in the directory is %v (%v), want a link for root and the data for others", info, err)
	}
	write(t, s)
	stop(t, s)
	s = start(t, config)
	wantWritten(t, s)
	s.Detach()
	must(t, os.RemoveAll(config.Dir))
	wantEmpty(t, start(t, config))
}

// The directory is removed and not used again, so the next cluster, wherever it is,
// removes its data.
func TestDataDoesNotOutliveItsDirectory(t *testing.T) {
	t.Parallel()
	config := embedded.Config{Dir: filepath.Join(t.TempDir(), "dir"), Volatile: true}
	s := start(t, config)
	data := ask(t, s, "SHOW data_directory")
	s.Detach()
	moved := filepath.Join(t.TempDir(), "moved")
	must(t, os.Rename(config.Dir, moved))
	config.Dir = moved
	s = start(t, config)
	if got := ask(t, s, "SHOW data_directory"); os.Geteuid() == 0 && got != data {
		t.Errorf("the moved directory has its data in %s, want %s", got, data)
	}
	stop(t, s)
	must(t, os.RemoveAll(moved))
	start(t, embedded.Config{Dir: open(t), Volatile: true})
	if _, err := os.Stat(data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data of a removed directory is still there: %v", err)
	}
}

// Only data that this package made is removed, whatever its name, and no link is followed
// out of the directory.
func TestForeignDataStays_D145(t *testing.T) {
	t.Parallel()
	other := filepath.Join(t.TempDir(), "theirs")
	for name, lay := range map[string]func(dir string) (kept string){
		"a folder": func(dir string) string {
			must(t, os.MkdirAll(filepath.Join(dir, "postgres"), 0o700))
			return filepath.Join(dir, "postgres", "diary")
		},
		"a cluster of another program": func(dir string) string {
			must(t, os.MkdirAll(filepath.Join(dir, "postgres"), 0o700))
			must(t, os.WriteFile(filepath.Join(dir, "postgres", "postgresql.conf"), []byte("port = 5432\n"), 0o600))
			return filepath.Join(dir, "postgres", "PG_VERSION")
		},
		"a link": func(dir string) string {
			must(t, os.MkdirAll(other, 0o700))
			must(t, os.WriteFile(filepath.Join(other, "postgresql.conf"), []byte("include 'frontdesk.conf'\n"), 0o600))
			must(t, os.Symlink(other, filepath.Join(dir, "postgres")))
			return filepath.Join(other, "PG_VERSION")
		},
	} {
		dir := open(t)
		kept := lay(dir)
		must(t, os.WriteFile(kept, []byte("15\n"), 0o600))
		if err := embedded.Remove(t.Context(), dir); !errors.Is(err, embedded.ErrForeign) {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := os.Stat(kept); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := open(t)
	must(t, os.MkdirAll(filepath.Join(dir, "postgres.new-idea"), 0o700))
	must(t, embedded.Remove(t.Context(), dir))
	if _, err := os.Stat(filepath.Join(dir, "postgres.new-idea")); err != nil {
		t.Error(err)
	}
}

func TestStartErrorNamesTheFix(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	old := open(t)
	must(t, os.MkdirAll(filepath.Join(old, "postgres"), 0o700))
	must(t, os.WriteFile(filepath.Join(old, "postgres", "PG_VERSION"), []byte("9.6\n"), 0o600))
	for name, c := range map[string]struct {
		config embedded.Config
		want   string
	}{
		"not a directory":       {embedded.Config{Dir: filepath.Join(file, "dir")}, "not a directory"},
		"no binaries":           {embedded.Config{Dir: open(t), Binaries: t.TempDir()}, "apt-get install postgresql"},
		"a path no shell takes": {embedded.Config{Dir: filepath.Join(open(t), "$HOME")}, "choose another directory"},
		"data of another major": {embedded.Config{Dir: old}, "install postgresql-9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := embedded.Start(t.Context(), c.config)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("says %q, want one line with %q", err, c.want)
			}
			if missing := name == "no binaries"; missing != errors.Is(err, embedded.ErrNoPostgres) {
				t.Errorf("is ErrNoPostgres: %v", !missing)
			}
		})
	}
}

// The line before the last names the cause.
func TestAStartThatFailsShowsItsCause(t *testing.T) {
	t.Parallel()
	config := embedded.Config{Dir: open(t), Volatile: true}
	stop(t, start(t, config))
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	must(t, err)
	settings := filepath.Join(config.Dir, "postgres", "postgresql.conf")
	before, err := os.ReadFile(settings)
	must(t, err)
	for added, want := range map[string][]string{
		"no_such_setting = 1": {"no_such_setting", "line "},
		"logging_collector = on\nlisten_addresses = '127.0.0.1'\nport = " + port: {"could not bind", "127.0.0.1", "Address already in use", "postgres.log"},
	} {
		must(t, os.WriteFile(settings, append(bytes.Clone(before), added...), 0o600))
		_, err := embedded.Start(t.Context(), config)
		for _, text := range want {
			if err == nil || !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "\n") {
				t.Errorf("with %s it says %v, want one line with %q", added, err, text)
			}
		}
	}
	must(t, os.WriteFile(settings, before, 0o600))
	must(t, os.Chmod(filepath.Dir(settings), 0o755))
	if _, err := embedded.Start(t.Context(), config); err == nil || !strings.Contains(err.Error(), "invalid permissions") {
		t.Errorf("with a directory that is open to others it says %v", err)
	}
}
