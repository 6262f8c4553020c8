package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// tools are the programs of one version of Postgres.
type tools string

// find returns the programs of a version: those in a folder, or in the place of Debian's
// packages, or on PATH.
func find(folder, version string) (tools, error) {
	if folder != "" {
		return tools(folder), nil
	}
	debian := "/usr/lib/postgresql/" + version + "/bin"
	if _, err := os.Stat(filepath.Join(debian, "postgres")); err == nil {
		return tools(debian), nil
	}
	path, err := exec.LookPath("pg_verifybackup")
	if err != nil {
		return "", fmt.Errorf("the programs of Postgres %s are not there: install its server, or name their folder with --binaries", version)
	}
	return tools(filepath.Dir(path)), nil
}

func (t tools) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, filepath.Join(string(t), program), args...)
	command.Dir = "/"
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGINT) }
	return command
}

// run runs a program to its end. The error has what it printed.
func (t tools) run(ctx context.Context, program string, args ...string) (string, error) {
	return toEnd(t.command(ctx, program, args...))
}

// toEnd runs a command to its end. It ends with this process, so that a run that is repeated
// after a crash does not find one of the earlier run at work.
func toEnd(command *exec.Cmd) (text string, err error) {
	command.SysProcAttr = endsWithUs(syscall.SIGKILL)
	ended := make(chan struct{})
	go func() {
		runtime.LockOSThread() // which the signal is bound to
		defer close(ended)
		var out []byte
		out, err = command.CombinedOutput()
		text = strings.TrimSpace(string(out))
	}()
	<-ended
	if err != nil {
		return text, fmt.Errorf("%s: %w: %s", filepath.Base(command.Path), err, text)
	}
	return text, nil
}

// errRoot reports that Postgres does not run as root.
var errRoot = errors.New("Postgres does not run as root: run this as the user who owns the cluster, such as by runuser -u postgres")

func checkUser() error {
	if os.Geteuid() == 0 {
		return errRoot
	}
	return nil
}

// untar unpacks an archive.
func untar(ctx context.Context, archive, into string) error {
	_, err := toEnd(exec.CommandContext(ctx, "tar", "--extract", "--gzip", "--file", archive, "--directory", into))
	return err
}
