package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"frontdesk/adapters/durable"
)

// Folder is where backups are kept, on another machine's disk.
type Folder string

// Base describes a base backup.
type Base struct {
	Name     string          `json:"name"`
	Ended    time.Time       `json:"ended"` // any instant from here on can be restored
	Timeline int             `json:"timeline"`
	Segment  string          `json:"firstWAL"` // the segment that its recovery begins with
	Postgres string          `json:"postgres"` // major version
	System   string          `json:"system"`   // Postgres' identifier of the cluster
	Program  string          `json:"program"`
	Keys     []string        `json:"masterKeys"` // identifiers of the master keys that it needs
	Erasures int             `json:"erasures"`   // lines of its ledger
	Files    map[string]File `json:"files"`
}

// File is a file of a base backup.
type File struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

const (
	described  = "backup.json"
	ledgerName = "erasures"
	draft      = ".new"
	nameFormat = "base-20060102T150405Z"
)

func (f Folder) path(parts ...string) string {
	return filepath.Join(append([]string{string(f)}, parts...)...)
}

func (f Folder) wal(name string) string { return f.path("wal", name+compressed) }

// Ledger is the newest copy of the ledger of erasures.
func (f Folder) Ledger() string { return f.path(ledgerName) }

// Bases returns the base backups, the oldest first.
func (f Folder) Bases() (all []Base, err error) {
	entries, err := os.ReadDir(string(f))
	if err != nil {
		return nil, fmt.Errorf("read the backups: %w", err)
	}
	for _, entry := range entries {
		if _, err := time.Parse(nameFormat, entry.Name()); err != nil {
			continue
		}
		base := Base{}
		text, err := os.ReadFile(f.path(entry.Name(), described))
		if err == nil {
			err = json.Unmarshal(text, &base)
		}
		if err != nil {
			return nil, fmt.Errorf("read the backup %s: %w", entry.Name(), err)
		}
		base.Name = entry.Name()
		all = append(all, base)
	}
	slices.SortFunc(all, func(a, b Base) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// ErrNone reports a folder without a base backup.
var ErrNone = errors.New("the folder holds no backup: make one with frontdesk backup create")

// Newest returns the newest base backup.
func (f Folder) Newest() (Base, error) {
	all, err := f.Bases()
	if err != nil {
		return Base{}, err
	}
	if len(all) == 0 {
		return Base{}, ErrNone
	}
	return all[len(all)-1], nil
}

// Before returns the newest base backup that had ended at an instant; the newest of all for
// the zero time.
func (f Folder) Before(at time.Time) (Base, error) {
	if at.IsZero() {
		return f.Newest()
	}
	all, err := f.Bases()
	if err != nil {
		return Base{}, err
	}
	if len(all) == 0 {
		return Base{}, ErrNone
	}
	for _, base := range slices.Backward(all) {
		if !base.Ended.After(at) {
			return base, nil
		}
	}
	return Base{}, fmt.Errorf("no backup had ended by %s: the oldest instant that can be restored is %s", at.UTC().Format(time.RFC3339), all[0].Ended.UTC().Format(time.RFC3339))
}

// hold locks the folder for one that adds or removes base backups, and removes their drafts.
func (f Folder) hold() (*durable.Lock, error) {
	lock, err := durable.Hold(f.path("lock"), os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("lock the backups: %w", err)
	}
	drafts, _ := filepath.Glob(f.path("base-*" + draft))
	for _, name := range drafts {
		if err := os.RemoveAll(name); err != nil {
			return nil, errors.Join(fmt.Errorf("remove a draft: %w", err), lock.Close())
		}
	}
	return lock, nil
}

// check compares the files of a base backup with their digests.
func (f Folder) check(base Base) error {
	if len(base.Files) == 0 {
		return fmt.Errorf("the backup %s names no files", base.Name)
	}
	for name, want := range base.Files {
		got, err := digest(f.path(base.Name, name))
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the backup %s lacks the file %s", base.Name, name)
		}
		if err != nil {
			return fmt.Errorf("read the backup %s: %w", base.Name, err)
		}
		if got != want {
			return fmt.Errorf("the file %s of the backup %s is damaged: its digest differs", name, base.Name)
		}
	}
	return nil
}

func digest(name string) (File, error) {
	file, err := os.Open(name)
	if err != nil {
		return File{}, err
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	return File{size, hex.EncodeToString(sum.Sum(nil))}, err
}

// Verified is the last backup that was restored and verified.
type Verified struct {
	Base string    `json:"base"`
	At   time.Time `json:"at"`
	Upto time.Time `json:"upTo"` // the newest commit that its recovery reached
}

// Verified returns the last verification; the zero value if there was none.
func (f Folder) Verified() (v Verified, err error) {
	text, err := os.ReadFile(f.path("verified.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	return v, err
}

func (f Folder) verified(v Verified) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return durable.Replace(f.path("verified.json"), 0o644, append(text, '\n'))
}

// WriteMetrics writes the times of the last backup and of the last verification as a file
// for the textfile collector of Prometheus' node_exporter.
func (f Folder) WriteMetrics(name string) error {
	base, err := f.Newest()
	if err != nil {
		return err
	}
	verified, err := f.Verified()
	if err != nil {
		return err
	}
	text := gauge("frontdesk_backup_completed_timestamp_seconds", base.Ended)
	if !verified.At.IsZero() {
		text += gauge("frontdesk_backup_verified_timestamp_seconds", verified.At)
	}
	if err := durable.Replace(name, 0o644, []byte(text)); err != nil {
		return fmt.Errorf("write the metrics of the backup: %w", err)
	}
	return nil
}

func gauge(name string, at time.Time) string {
	return fmt.Sprintf("# TYPE %s gauge\n%[1]s %d\n", name, at.Unix())
}

// Pruned is what [Folder.Prune] removes.
type Pruned struct {
	Bases    []string
	Segments []string
}

// Prune removes all base backups but the newest, and the WAL that only they need. It keeps
// at least one. If dry, it only returns what it would remove.
func (f Folder) Prune(ctx context.Context, keep int, dry bool) (gone Pruned, err error) {
	lock, err := f.hold()
	if err != nil {
		return gone, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	all, err := f.Bases()
	if err != nil {
		return gone, err
	}
	if keep < 1 || len(all) == 0 {
		return gone, errors.New("at least one backup is kept")
	}
	kept := all[max(0, len(all)-keep):]
	for _, base := range all[:len(all)-len(kept)] {
		gone.Bases = append(gone.Bases, base.Name)
	}
	names, err := f.segments()
	if err != nil {
		return gone, err
	}
	first := number(kept[0].Segment)
	for _, base := range kept {
		first = min(first, number(base.Segment))
	}
	for _, name := range names {
		if number(name) < first {
			gone.Segments = append(gone.Segments, name)
		}
	}
	if dry {
		return gone, nil
	}
	return gone, f.remove(ctx, gone)
}

// remove removes base backups before the WAL that they need, so that none is left without.
func (f Folder) remove(ctx context.Context, gone Pruned) error {
	for _, name := range gone.Bases {
		if err := durable.Rename(f.path(name), f.path(name+draft)); err != nil {
			return fmt.Errorf("remove a backup: %w", err)
		}
		if err := os.RemoveAll(f.path(name + draft)); err != nil {
			return fmt.Errorf("remove a backup: %w", err)
		}
	}
	for _, name := range gone.Segments {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := os.Remove(f.wal(name)); err != nil {
			return fmt.Errorf("remove WAL: %w", err)
		}
	}
	return nil
}
