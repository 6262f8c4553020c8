package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ownSettings is the file in the data directory with [Config.settings].
const ownSettings = "frontdesk.conf"

// includeOwn is the last line of postgresql.conf in a cluster that this package made.
const includeOwn = "include '" + ownSettings + "'"

// drafts begins the names of incomplete clusters, which end with a number. It holds a digest of
// their place, so that no other file has such a name by chance.
func (h *home) drafts() string { return filepath.Base(h.data) + ".new-" + digest(h.data) + "-" }

// initialise creates the cluster under a temporary name and renames it when it is
// complete, so that no incomplete cluster is ever started.
func (s *Server) initialise(ctx context.Context) error {
	parent := filepath.Dir(s.home.data)
	if err := os.MkdirAll(parent, 0o711); err != nil {
		return err
	}
	if err := s.home.removeDrafts(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(parent, s.home.drafts()+"*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := s.home.account.own(dir); err != nil {
		return err
	}
	if err := s.initdb(ctx, dir); err != nil {
		return err
	}
	if err := appendLine(filepath.Join(dir, "postgresql.conf"), includeOwn); err != nil {
		return err
	}
	return os.Rename(dir, s.home.data)
}

// initdb fills the directory. Text sorts by code point on every machine. Every system
// has the C locale, but without the case of letters beyond ASCII, so C.UTF-8 is tried
// first.
func (s *Server) initdb(ctx context.Context, dir string) error {
	var refusal string
	for _, locale := range []string{"C.UTF-8", "C"} {
		args := []string{"--pgdata", dir, "--username", Superuser, "--auth", "trust",
			"--encoding", "UTF8", "--locale", locale, "--data-checksums", "--no-instructions"}
		if s.config.Volatile {
			args = append(args, "--no-sync")
		}
		out, err := s.home.account.command(ctx, "/", s.install.program("initdb"), args...).CombinedOutput()
		if err == nil {
			return nil
		}
		refusal = complaint(out, err)
		if !strings.Contains(refusal, "locale") {
			break
		}
	}
	return fmt.Errorf("make a cluster: %s", refusal)
}

// configure writes our settings at every start, because they belong to the program and
// not to the data. It writes a file next to the data directory and renames it: the
// account owns that directory, and a file that root opens there might be a link.
func (s *Server) configure() error {
	file, err := os.CreateTemp(filepath.Dir(s.home.data), ownSettings+".*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // fails after the file was renamed
	_, err = file.WriteString(s.config.settings(s.socket))
	if err := firstError(err, file.Close(), s.home.account.own(file.Name())); err != nil {
		return err
	}
	return os.Rename(file.Name(), filepath.Join(s.home.data, ownSettings))
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|noFollow, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return firstError(err, f.Close())
}

// removeDrafts removes the incomplete clusters of starts that were killed.
func (h *home) removeDrafts() error {
	parent, prefix := filepath.Dir(h.data), h.drafts()
	entries, err := os.ReadDir(parent)
	if err != nil {
		return ignoreMissing(err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) {
			err = firstError(err, os.RemoveAll(filepath.Join(parent, entry.Name())))
		}
	}
	return err
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
