package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"frontdesk/adapters/ledger"
)

// Verify restores a backup into a scratch cluster.
type Verify struct {
	From     Folder
	Scratch  string // a folder for the scratch cluster, "" for a temporary one
	Program  string
	Binaries string
	Wait     time.Duration
	Now      func() time.Time
	Tell     func(string)
	// Look verifies the recovered cluster.
	Look func(context.Context, Restored) error
}

// Run verifies the newest backup and all WAL since it: each file is what was written, no WAL
// is missing, the ledger is there, and the recovered cluster passes Look.
func (c Verify) Run(ctx context.Context) (v Verified, err error) {
	if err := checkUser(); err != nil {
		return v, err
	}
	base, err := c.From.Newest()
	if err != nil {
		return v, err
	}
	if err := c.From.checkLedger(base); err != nil {
		return v, err
	}
	last, err := c.From.checkWAL(base)
	if err != nil {
		return v, err
	}
	tools, err := find(c.Binaries, base.Postgres)
	if err != nil {
		return v, err
	}
	home, err := os.MkdirTemp(c.Scratch, "frontdesk-verify-")
	if err != nil {
		return v, fmt.Errorf("verify the backup: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	c.Tell("the backup " + base.Name + " is unpacked")
	data := filepath.Join(home, "data")
	if err := unpack(ctx, c.From, base, tools, data); err != nil {
		return v, err
	}
	restore := Restore{From: c.From, Program: c.Program}
	i := &instance{tools: tools, data: data, home: home, own: map[string]string{
		"restore_command": restore.shell("fetch-wal", "--from") + ` "%f" "%p"`, "archive_mode": "off", "fsync": "off",
	}}
	defer i.end()
	c.Tell("the WAL since then is played")
	restored, err := i.play(ctx, c.From, base, time.Time{}, c.Wait)
	if err != nil {
		return v, err
	}
	if err := i.at(ctx, last); err != nil {
		return v, err
	}
	if err := c.Look(ctx, restored); err != nil {
		return v, err
	}
	v = Verified{Base: base.Name, At: c.Now().UTC(), Upto: restored.Upto}
	if v.Upto.IsZero() {
		v.Upto = base.Ended
	}
	return v, c.From.verified(v)
}

// checkLedger looks for the copies of the ledger of erasures.
func (f Folder) checkLedger(base Base) error {
	for _, name := range []string{f.Ledger(), f.path(base.Name, ledgerName)} {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the ledger of erasures is not in the backup (%s): a restore would bring erased people back", name)
		}
		lines, err := ledger.File{Name: name}.Lines()
		if err != nil {
			return err
		}
		if len(lines) < base.Erasures {
			return fmt.Errorf("the ledger of erasures %s has %d lines, and had %d", name, len(lines), base.Erasures)
		}
	}
	return nil
}
