package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"time"
)

// account is the user that Postgres runs as. Postgres refuses to run as root, so root
// runs it as a user with fewer rights. Any other user runs it under their own account,
// which is a nil account.
type account struct {
	name     string
	uid, gid uint32
}

// accountFor is the owner of existing data, or else the user "postgres", or else
// "nobody".
func accountFor(data string) (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	if info, err := os.Stat(data); err == nil && ownerOf(info) != 0 {
		uid, gid := ownerOf(info), groupOf(info)
		return &account{name: fmt.Sprintf("number %d", uid), uid: uid, gid: gid}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return newAccount(u)
		}
	}
	return nil, errors.New("Postgres does not run as root, and there is no user postgres or nobody to run it: run frontdesk as another user")
}

func newAccount(u *user.User) (*account, error) {
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("read user %s: %w", u.Username, err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("read user %s: %w", u.Username, err)
	}
	return &account{name: u.Username, uid: uint32(uid), gid: uint32(gid)}, nil
}

// id is the number of the user that Postgres runs as.
func (a *account) id() uint32 {
	if a == nil {
		return uint32(os.Geteuid())
	}
	return a.uid
}

// own gives the account a file or directory that we have just created.
func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	return os.Lchown(path, int(a.uid), int(a.gid))
}

// command prepares a program to run as the account. It gets a process group of its own,
// so that Ctrl-C in the terminal reaches only us. It gets only a minimal environment:
// no PG… setting and no secret.
func (a *account) command(ctx context.Context, dir, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = []string{"LC_ALL=C"}
	for _, name := range []string{"PATH", "TMPDIR", "LD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.SysProcAttr = a.inGroup()
	// Both initdb and pg_ctl clean up after themselves when interrupted.
	cmd.Cancel = func() error { return kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// enters reports whether the account can use dir as its working directory. It runs a
// program there, because the modes of the parents, access control lists and mount
// options are all relevant.
func (a *account) enters(ctx context.Context, dir, program string) bool {
	return a.command(ctx, dir, program, "--version").Run() == nil
}
