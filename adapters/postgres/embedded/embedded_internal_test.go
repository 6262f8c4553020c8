package embedded

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestComplaintPicksTheErrorLine(t *testing.T) {
	t.Parallel()
	for want, output := range map[string]string{
		"exit status 1":               " \n",
		"starting; could not find sh": "starting\ncould not find sh\n",
		"FATAL: disk full":            "running bootstrap script ... 2026-01-01 UTC\nFATAL:  disk full\nchild process exited with exit code 1\ninitdb: removing contents\n",
		"LOG: early; initdb: error: early; initdb: error: late": "LOG:  early\ninitdb: error: early\ninitdb: error: late\ninitdb: hint: try\n",
	} {
		if got := complaint([]byte(output), errors.New("exit status 1")); got != want {
			t.Errorf("%q complains %q, want %q", output, got, want)
		}
	}
}

func TestTheLogIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	small, big, link := filepath.Join(dir, "small"), filepath.Join(dir, "big"), filepath.Join(dir, "link")
	must(t, os.WriteFile(small, []byte("kept"), 0o600))
	must(t, os.WriteFile(big, make([]byte, 2<<20), 0o600))
	must(t, os.Symlink(big, link))
	for _, file := range []string{filepath.Join(dir, "missing"), small, link} {
		bound(file)
	}
	if got := []int64{size(small), size(big)}; got[0] != 4 || got[1] != 2<<20 {
		t.Errorf("sizes are %d, want them unchanged: one is small, the other was reached through a link only", got)
	}
	bound(big)
	if size(big) != 0 {
		t.Errorf("the log keeps %d bytes", size(big))
	}
	if got := tail(small, 2); string(got) != "pt" {
		t.Errorf("tail is %q", got)
	}
}

func TestASocketDirectoryIsClosedToOthers(t *testing.T) {
	t.Parallel()
	var h home // the user of the test is the account
	dir := filepath.Join(t.TempDir(), "socket")
	must(t, h.makeSocketDir(dir))
	must(t, h.makeSocketDir(dir)) // ours already
	must(t, os.Chmod(dir, 0o755))
	if err := h.makeSocketDir(dir); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("a directory open to others: %v", err)
	}
	link := dir + ".link"
	must(t, os.Symlink(t.TempDir(), link))
	if err := h.makeSocketDir(link); err == nil {
		t.Error("another user's link passed for our directory")
	}
}

func TestAProcessIsTheOneItsLockFileNames(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "sleep", "600")
	cmd.Args = []string{"postgres", "600"} // its name proves nothing
	must(t, cmd.Start())
	p := postmaster{pid: cmd.Process.Pid, data: data}
	if p.genuine() || p.gone() {
		t.Errorf("a stranger: genuine %v, gone %v", p.genuine(), p.gone())
	}
	must(t, cmd.Process.Kill())
	if procfs() { // elsewhere the first process always reaps
		_ = p.awaitEnd(t.Context()) // dead, and a zombie until it is waited for
		if p.genuine() || !p.gone() {
			t.Errorf("a zombie: genuine %v, gone %v", p.genuine(), p.gone())
		}
	}
	_ = cmd.Wait()
	if !p.gone() {
		t.Error("the process has ended and is not gone")
	}
	for _, content := range []string{"", "x\n/data\n", "1\n/data\n", "-5\n/data\n", "42"} {
		file := filepath.Join(t.TempDir(), "postmaster.pid")
		must(t, os.WriteFile(file, []byte(content), 0o600))
		if got, ok := readLockFile(file); ok {
			t.Errorf("%q is read as %+v", content, got)
		}
	}
}

func TestSettingsQuoteTheirStrings(t *testing.T) {
	t.Parallel()
	if got := (Config{}).settings("/tmp/Ann's"); !strings.Contains(got, "unix_socket_directories = '/tmp/Ann''s'\n") {
		t.Error(got)
	}
}

// The program starts on every platform of the kit, and Postgres does not on Windows: one sentence has the fix.
func TestSandboxOnWindowsNamesWSL_D166(t *testing.T) {
	t.Parallel()
	for system, want := range map[string]string{"linux": "", "darwin": "", "windows": "frontdesk runs no Postgres on Windows: use WSL"} {
		said := ""
		if err := supported(system); err != nil {
			said = err.Error()
		}
		if said != want {
			t.Errorf("%s: %q, want %q", system, said, want)
		}
	}
}
