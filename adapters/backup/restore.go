package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/adapters/durable"
)

// Restored describes a cluster that has recovered, and is reached by its socket alone.
type Restored struct {
	Base     Base
	Upto     time.Time // the newest commit that was recovered; zero for none after the backup
	Timeline int       // the new one
	URL      func(database, role string) string
}

// Restore brings a cluster back as it was at an instant.
type Restore struct {
	From     Folder
	To       time.Time // zero: as far as the archive goes
	Timeline string    // "" for the latest
	Data     string    // the cluster's data directory
	Program  string    // path of this program, for Postgres to fetch and archive WAL with
	Binaries string
	Wait     time.Duration // for the recovery
	Now      func() time.Time
	Tell     func(string)
	// After works on the recovered cluster before anything else reaches it.
	After func(context.Context, Restored) error
}

// marker is a file in a data directory that this program has put there and not finished.
const marker = "frontdesk-restore.unfinished"

// Run restores. The content of the data directory is kept in another one. A run that was stopped is
// repeated from its beginning.
func (c Restore) Run(ctx context.Context) (err error) {
	if err := checkUser(); err != nil {
		return err
	}
	base, err := c.From.Before(c.To)
	if err != nil {
		return err
	}
	lock, err := c.From.hold() // no backup is removed meanwhile, and one restores at a time
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	tools, err := find(c.Binaries, base.Postgres)
	if err != nil {
		return err
	}
	if err := c.idle(ctx, tools); err != nil {
		return err
	}
	c.Tell("the backup " + base.Name + " is unpacked")
	fresh := c.Data + ".restoring"
	if err := unpack(ctx, c.From, base, tools, fresh); err != nil {
		return err
	}
	if err := c.place(ctx, fresh); err != nil {
		return err
	}
	if err := c.recover(ctx, base, tools); err != nil {
		return err
	}
	if err := errors.Join(os.Remove(filepath.Join(c.Data, marker)), durable.SyncDir(c.Data)); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return nil
}

// idle refuses a data directory that Postgres works on, unless a stopped run has left it.
func (c Restore) idle(ctx context.Context, tools tools) error {
	_, err := tools.run(ctx, "pg_ctl", "status", "--pgdata", c.Data)
	if ended, is := errors.AsType[*exec.ExitError](err); is && slices.Contains(notRunning, ended.ExitCode()) {
		return nil
	}
	if err != nil {
		return err
	}
	if !marked(c.Data) {
		return fmt.Errorf("Postgres runs on %s: stop it first, and every serve, sign and relay before it", c.Data)
	}
	_, err = tools.run(ctx, "pg_ctl", "stop", "--mode", "immediate", "--pgdata", c.Data)
	return err
}

// notRunning are the exit statuses of pg_ctl status for a server that does not run, and for a
// folder that is no data directory.
var notRunning = []int{3, 4}

func marked(data string) bool {
	_, err := os.Stat(filepath.Join(data, marker))
	return err == nil
}

// unpack extracts a base backup into a fresh folder, and compares it with its manifest.
func unpack(ctx context.Context, from Folder, base Base, tools tools, to string) error {
	if err := from.check(base); err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return fmt.Errorf("unpack the backup: %w", err)
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return fmt.Errorf("unpack the backup: %w", err)
	}
	for archive, into := range map[string]string{"base.tar.gz": to, "pg_wal.tar.gz": filepath.Join(to, "pg_wal")} {
		if err := os.MkdirAll(into, 0o700); err != nil {
			return fmt.Errorf("unpack the backup: %w", err)
		}
		if err := untar(ctx, from.path(base.Name, archive), into); err != nil {
			return err
		}
	}
	if _, err := tools.run(ctx, "pg_verifybackup", "--manifest-path", from.path(base.Name, "backup_manifest"), "--exit-on-error", to); err != nil {
		return fmt.Errorf("the backup %s is damaged: %w", base.Name, err)
	}
	if err := os.Remove(filepath.Join(to, "standby.signal")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("unpack the backup: %w", err)
	}
	for _, name := range []string{"recovery.signal", marker} {
		if err := durable.Replace(filepath.Join(to, name), 0o600, nil); err != nil {
			return fmt.Errorf("unpack the backup: %w", err)
		}
	}
	_, err := tools.run(ctx, "initdb", "--sync-only", "--pgdata", to)
	return err
}

// place puts the fresh data directory where the cluster is, and its content in another one.
func (c Restore) place(ctx context.Context, fresh string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(c.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("restore: %w", err)
	case len(entries) == 0 || marked(c.Data): // a stopped run has left it
		if err := os.RemoveAll(c.Data); err != nil {
			return fmt.Errorf("restore: %w", err)
		}
	default:
		kept := c.Data + ".before-" + c.Now().UTC().Format("20060102T150405Z")
		if err := durable.Rename(c.Data, kept); err != nil {
			return fmt.Errorf("restore: %w", err)
		}
		c.Tell("the content of " + c.Data + " is kept in " + kept)
	}
	if err := durable.Rename(fresh, c.Data); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return nil
}

// recover plays the WAL, and has the caller work on what it gives.
func (c Restore) recover(ctx context.Context, base Base, tools tools) error {
	home, err := os.MkdirTemp("", "frontdesk-restore-")
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer os.RemoveAll(home)
	i := &instance{tools: tools, data: c.Data, home: home, own: map[string]string{
		"restore_command": c.shell("fetch-wal", "--from") + ` "%f" "%p"`,
		"archive_mode":    "on", "archive_command": c.shell("archive-wal", "--to") + ` "%p" "%f"`,
	}}
	if c.Timeline != "" {
		i.own["recovery_target_timeline"] = c.Timeline
	}
	if !c.To.IsZero() {
		i.own["recovery_target_time"] = c.To.UTC().Format("2006-01-02 15:04:05.999999") + "+00"
	}
	defer i.end()
	c.Tell("the WAL since then is played")
	restored, err := i.play(ctx, c.From, base, c.To, c.Wait)
	if err != nil {
		return err
	}
	if err := c.After(ctx, restored); err != nil {
		return err
	}
	i.end()
	return nil
}

// shell is a command line for Postgres, which hands it to a shell.
func (c Restore) shell(verb, flag string) string {
	return shellQuote(c.Program) + " backup " + verb + " " + flag + " " + shellQuote(string(c.From))
}

func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, "'", `'\''`), "%", "%%") + "'"
}

// play recovers up to an instant, and describes what was recovered.
func (i *instance) play(ctx context.Context, from Folder, base Base, to time.Time, limit time.Duration) (Restored, error) {
	restored := Restored{Base: base, URL: i.url}
	if err := i.start(ctx); err != nil {
		return restored, err
	}
	err := i.recovered(ctx, limit)
	if errors.Is(err, errEnded) && strings.Contains(i.complaint(), "before configured recovery target") && from.reaches(base, to) {
		// Nothing was committed between the last commit and the target: the end is the target.
		delete(i.own, "recovery_target_time")
		if err := i.start(ctx); err != nil {
			return restored, err
		}
		err = i.recovered(ctx, limit)
	}
	if err != nil {
		return restored, fmt.Errorf("recover %s: %w", base.Name, err)
	}
	if err := i.ask(ctx, superuser, `SELECT timeline_id FROM pg_control_checkpoint()`, &restored.Timeline); err != nil {
		return restored, fmt.Errorf("look at the recovered cluster: %w", err)
	}
	restored.Upto = i.newest()
	return restored, nil
}

// newest returns the time of the last commit that was replayed, as Postgres logs it; zero
// if there was none.
func (i *instance) newest() time.Time {
	text, _ := os.ReadFile(i.log())
	for line := range strings.Lines(string(text)) {
		_, at, ok := strings.Cut(strings.TrimSpace(line), "last completed transaction was at log time ")
		if !ok {
			continue
		}
		if parsed, err := time.Parse("2006-01-02 15:04:05.999999-07", at); err == nil {
			return parsed
		}
	}
	return time.Time{}
}

// reaches reports whether the archive holds all WAL from a base backup up to an instant: none is
// missing, and a segment was archived after the instant.
func (f Folder) reaches(base Base, to time.Time) bool {
	if _, err := f.checkWAL(base); err != nil {
		return false
	}
	names, err := f.segments()
	if err != nil {
		return false
	}
	for _, name := range names {
		if info, err := os.Stat(f.wal(name)); err == nil && info.ModTime().After(to) {
			return true
		}
	}
	return false
}

// at reports whether a recovery came to an archived segment.
func (i *instance) at(ctx context.Context, last string) error {
	var lsn string
	if err := i.ask(ctx, superuser, `SELECT pg_current_wal_lsn()::text`, &lsn); err != nil {
		return err
	}
	high, low, _ := strings.Cut(lsn, "/")
	h, _ := strconv.ParseUint(high, 16, 64)
	l, _ := strconv.ParseUint(low, 16, 64)
	if h<<32|l/segmentSize < number(last) {
		return fmt.Errorf("the recovery ended at %s, before the WAL segment %s: one before it is damaged", lsn, last)
	}
	return nil
}
