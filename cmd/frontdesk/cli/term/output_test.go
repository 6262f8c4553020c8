package term_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// exportTo runs an export of a clinic whose standard output may be a file.
func exportTo(t *testing.T, c *clitest.Clinic, stdout io.Writer, args ...string) clitest.Outcome {
	t.Helper()
	var said bytes.Buffer
	line := append([]string{"audit", "export", "--database-url", c.Auditor}, args...)
	status := cli.Main(t.Context(), line, cli.Streams{In: strings.NewReader(""), Out: stdout, Err: &said})
	return clitest.Outcome{Status: status, Out: "", Err: said.String()}
}

// wantExport fails unless the manifest exists and is of these events.
func wantExport(t *testing.T, c *clitest.Clinic, events []byte, manifest string) {
	t.Helper()
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(events)
	if of := clitest.Objects(t, string(text))[0]; of["sha256"] != hex.EncodeToString(sum[:]) || of["count"] != 13.0 {
		t.Errorf("the manifest is %s, and %d bytes were written", text, len(events))
	}
}

func TestAnExportGoesToStandardOutput_D57(t *testing.T) {
	t.Parallel()
	c, dir := clitest.NewClinic(t), t.TempDir()
	manifest := filepath.Join(dir, "manifest")
	var out bytes.Buffer
	exportTo(t, c, &out, "--out=-").WantFailure(t, 1, "--manifest")
	exportTo(t, c, &out, "--out=-", "--manifest=-").WantFailure(t, 1, "another with --manifest")
	if out.Len() > 0 {
		t.Errorf("refused, it wrote %q", &out)
	}
	if o := exportTo(t, c, &out, "--out=-", "--manifest="+manifest); o.Status != 0 || !strings.HasPrefix(o.Err, "13 events") {
		t.Errorf("exit status %d: %s", o.Status, o.Err)
	}
	wantExport(t, c, out.Bytes(), manifest)

	// The shell has opened the file; another must not stand in its place.
	shell, err := os.Create(filepath.Join(dir, "events"))
	if err != nil {
		t.Fatal(err)
	}
	defer shell.Close()
	if o := exportTo(t, c, shell, "--out", shell.Name(), "--manifest="+manifest); o.Status != 0 {
		t.Errorf("exit status %d: %s", o.Status, o.Err)
	}
	if info, err := shell.Stat(); err != nil || info.Sys().(*syscall.Stat_t).Nlink != 1 {
		t.Errorf("the shell's file was replaced: %v", err)
	}
	wantExport(t, c, []byte(clitest.ReadFile(t, shell.Name())), manifest)
}

func TestAnExportGoesThroughADeviceAndAPipe_D57(t *testing.T) {
	t.Parallel()
	c, dir := clitest.NewClinic(t), t.TempDir()
	manifest, pipe, device := filepath.Join(dir, "manifest"), filepath.Join(dir, "pipe"), filepath.Join(dir, "null")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan []byte)
	go func() {
		data, _ := os.ReadFile(pipe)
		got <- data
	}()
	if o := exportTo(t, c, io.Discard, "--out", pipe, "--manifest", manifest); o.Status != 0 {
		t.Fatalf("exit status %d: %s", o.Status, o.Err)
	}
	wantExport(t, c, <-got, manifest)

	// Root may make a device of its own to lose; other users cannot replace the system's.
	if err := syscall.Mknod(device, syscall.S_IFCHR|0o666, 1<<8|3); err != nil {
		device = os.DevNull
	}
	exportTo(t, c, io.Discard, "--out", device).WantFailure(t, 1, "--manifest")
	if o := exportTo(t, c, io.Discard, "--out", device, "--manifest", manifest); o.Status != 0 {
		t.Errorf("exit status %d: %s", o.Status, o.Err)
	}
	for name, mode := range map[string]fs.FileMode{pipe: fs.ModeNamedPipe, device: fs.ModeCharDevice} {
		if info, err := os.Lstat(name); err != nil || info.Mode()&mode == 0 {
			t.Errorf("%s was replaced: %v, %v", name, info.Mode(), err)
		}
	}
}

// A link stays, and its target is replaced as a whole in its own folder.
func TestAnExportGoesWhereALinkLeads_D57(t *testing.T) {
	t.Parallel()
	c, dir, there := clitest.NewClinic(t), t.TempDir(), t.TempDir()
	link, file := filepath.Join(dir, "latest"), filepath.Join(there, "march")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	exportTo(t, c, io.Discard, "--out", link).WantFailure(t, 1, "leads nowhere")
	if err := os.WriteFile(file, []byte("older"), 0o644); err != nil {
		t.Fatal(err)
	}
	if o := exportTo(t, c, io.Discard, "--out", link); o.Status != 0 || !strings.Contains(o.Err, link+" is a link: "+file+" was written") {
		t.Errorf("exit status %d: %s", o.Status, o.Err)
	}
	if leads, err := os.Readlink(link); leads != file {
		t.Errorf("the link leads to %q, %v", leads, err)
	}
	wantExport(t, c, []byte(clitest.ReadFile(t, file)), file+".manifest.json")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
}

func TestUnwritableOutputIsReported_D57(t *testing.T) {
	t.Parallel()
	c, dir := clitest.NewClinic(t), t.TempDir()
	socket := filepath.Join(dir, "socket")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: socket}); err != nil {
		t.Fatal(err)
	}
	for out, says := range map[string]string{
		dir: "name a file in it", socket: "name a file", "/dev/ptmx": "terminal",
		filepath.Join(dir, "none", "file"): "make a file in " + filepath.Join(dir, "none"),
	} {
		exportTo(t, c, io.Discard, "--out", out, "--manifest", filepath.Join(dir, "manifest")).WantFailure(t, 1, says)
	}
}

// Two names of one file that is not there yet would let the manifest take the place of
// the events.
func TestAManifestDoesNotReplaceItsExport_D57(t *testing.T) {
	t.Parallel()
	c, dir := clitest.NewClinic(t), t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "folder"), 0o700), os.Symlink("folder", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	out, manifest := filepath.Join(dir, "folder", "log"), filepath.Join(dir, "link", "log")
	exportTo(t, c, io.Discard, "--out", out, "--manifest", manifest).WantFailure(t, 1, "another with --manifest")
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("refused, it wrote a file: %v", err)
	}
}

func TestAnOutputThatWentNowhereIsAFailure(t *testing.T) {
	t.Parallel()
	key, _ := clitest.Keygen(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, line := range []string{"token mint --application " + clitest.SomeApplication + " --key " + key, "version", "version --json", "completion words -- a"} {
		var said strings.Builder
		status := cli.Main(t.Context(), strings.Fields(line), cli.Streams{In: strings.NewReader(""), Out: full, Err: &said})
		clitest.Outcome{Status: status, Out: "", Err: said.String()}.WantFailure(t, 1, "no space left")
	}
}

// Without a name a file would go to wherever the command is run.
func TestAnEmptyNameIsRefused(t *testing.T) {
	t.Parallel()
	clitest.Frontdesk(t, "audit", "export", "--database-url=x", "--out=").WantFailure(t, 1, "is empty")
	clitest.Frontdesk(t, "webhook", "listen", "--listen=127.0.0.1:0", "--jwks-url=http://127.0.0.1:1/", "--dir=").WantFailure(t, 2, "name a folder")
	clitest.Frontdesk(t, "sandbox", "--dir=", "--listen=127.0.0.1:0").WantFailure(t, 2, "name a folder")
}
