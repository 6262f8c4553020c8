package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/backup"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/event"
)

// BackupCmd holds the verbs of backups.
type BackupCmd struct {
	Create  backupCreateCmd  `cmd:"" help:"Make a base backup." detail:"Run it each night, on the machine of the database, as the user postgres."`
	Verify  backupVerifyCmd  `cmd:"" help:"Restore the newest backup into a scratch cluster." detail:"It then verifies the log there, and says how old the backup is."`
	Restore backupRestoreCmd `cmd:"" help:"Restore the cluster to an instant." detail:"Stop every serve, sign and relay first, then Postgres."`
	Prune   backupPruneCmd   `cmd:"" help:"Remove old backups and their WAL." detail:"It lists them and asks first."`
	List    backupListCmd    `cmd:"" help:"List the backups."`

	ArchiveWAL backupArchiveCmd `cmd:"" name:"archive-wal" help:"Store a file of WAL." detail:"For archive_command: it is atomic, flushed, and never gives one name to two contents."`
	FetchWAL   backupFetchCmd   `cmd:"" name:"fetch-wal" help:"Fetch a file of WAL." detail:"For restore_command."`
}

type folderToFlag struct {
	To string `required:"" type:"path" env:"FRONTDESK_BACKUPS" placeholder:"FOLDER" help:"The folder of the backups, on another machine's disk."`
}

type folderFromFlag struct {
	From string `required:"" type:"path" env:"FRONTDESK_BACKUPS" placeholder:"FOLDER" help:"The folder of the backups."`
}

// toolFlags are those of commands that run Postgres' programs.
type toolFlags struct {
	Binaries string `type:"path" placeholder:"FOLDER" help:"The folder of Postgres' programs. Without it, they are looked for in Debian's place."`
}

// recoveryFlags are those of commands that wait for a recovery.
type recoveryFlags struct {
	Wait time.Duration `default:"2h" help:"How long to wait for the recovery."`
}

type metricsFlag struct {
	Metrics string `type:"path" placeholder:"FILE" help:"Write the times of the last backup and verification to this file, for the textfile collector of node_exporter."`
}

func (f metricsFlag) write(folder string) error {
	if f.Metrics == "" {
		return nil
	}
	return backup.Folder(folder).WriteMetrics(f.Metrics)
}

type backupCreateCmd struct {
	folderToFlag    `embed:""`
	term.LedgerFlag `embed:""`
	toolFlags       `embed:""`
	metricsFlag     `embed:""`
	ArchiveWait     time.Duration `default:"5m" help:"How long to wait until the archive has the WAL of the backup."`
	ClusterURL      string        `default:"postgres:///frontdesk?user=postgres" placeholder:"URL" help:"The database, as a role that may replicate: the superuser by the socket."`
}

// Help returns the details, which a help text has no room for.
func (c *backupCreateCmd) Help() string {
	return `Set the archive of Postgres first:
  archive_mode = on
  archive_command = 'frontdesk backup archive-wal --to FOLDER %p %f'
The backup holds the cluster, the ledger of erasures and the identifiers of the master keys, never a master key: keep that elsewhere.
Example: frontdesk backup create --to /srv/backups --erasure-ledger /var/lib/frontdesk/erasures`
}

var errLedgerFlag = errors.New("name the ledger of erasures with --erasure-ledger: without it, a restored backup brings erased people back")

// Run makes the backup.
func (c *backupCreateCmd) Run(r *term.Run) error {
	if c.ErasureLedger == "" {
		return errLedgerFlag
	}
	engine, err := term.DatabaseFlag{DatabaseURL: c.ClusterURL}.Open(r)
	if err != nil {
		return err
	}
	keys, err := engine.MasterKeyIDs(r.Context)
	engine.Close()
	if err != nil {
		return err
	}
	is, err := app.ThisVersion()
	if err != nil {
		return err
	}
	base, err := backup.Create{
		To: backup.Folder(c.To), DatabaseURL: c.ClusterURL, Ledger: c.ErasureLedger, Program: is.Version, Keys: keys,
		Binaries: c.Binaries, Wait: c.ArchiveWait, Now: r.Now,
		Warn: func(text string) { fmt.Fprintln(r.Err, "warning: "+text) },
	}.Run(r.Context)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "%s is complete: each instant from %s on can be restored\n", base.Name, base.Ended.UTC().Format(time.RFC3339))
	return c.write(c.To)
}

type backupVerifyCmd struct {
	folderFromFlag `embed:""`
	toolFlags      `embed:""`
	recoveryFlags  `embed:""`
	metricsFlag    `embed:""`
	databaseName   `embed:""`
	Scratch        string `type:"path" placeholder:"FOLDER" help:"Where the scratch cluster is made: it needs as much room as the database."`
}

type databaseName struct {
	Database string `default:"frontdesk" placeholder:"NAME" help:"The name of the database in the cluster."`
}

// Help gives an example.
func (c *backupVerifyCmd) Help() string {
	return "Nothing of the scratch cluster is kept.\nExample: frontdesk backup verify --from /srv/backups"
}

// Run verifies the newest backup.
func (c *backupVerifyCmd) Run(r *term.Run) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	v, err := backup.Verify{
		From: backup.Folder(c.From), Scratch: c.Scratch, Program: program, Binaries: c.Binaries, Wait: c.Wait, Now: r.Now, Tell: r.Tell,
		Look: func(ctx context.Context, restored backup.Restored) error { return c.look(ctx, r, restored) },
	}.Run(r.Context)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "%s is good: it restores up to %s, %s ago\n", v.Base, v.Upto.UTC().Format(time.RFC3339), v.At.Sub(v.Upto).Round(time.Second))
	return c.write(c.From)
}

// look verifies the log of the restored database, as frontdesk audit verify does.
func (c *backupVerifyCmd) look(ctx context.Context, r *term.Run, restored backup.Restored) error {
	engine, err := term.DatabaseFlag{DatabaseURL: restored.URL(c.Database, "postgres")}.Open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	result, err := engine.Auditor.Verification().Run(ctx)
	if err != nil {
		return err
	}
	if len(result.Found) > 0 {
		return fmt.Errorf("the restored database is not what was written: %s (and %d more)", result.Found[0].Says, len(result.Found)-1)
	}
	return nil
}

type backupRestoreCmd struct {
	folderFromFlag      `embed:""`
	toolFlags           `embed:""`
	recoveryFlags       `embed:""`
	databaseName        `embed:""`
	term.LedgerFlag     `embed:""`
	term.MasterKeyFlags `embed:""`
	Instant             string `name:"to" env:"-" required:"" placeholder:"INSTANT" help:"2026-03-02T12:00:00Z, or latest for as much as the archive has."`
	Data                string `required:"" env:"-" type:"path" placeholder:"FOLDER" help:"The data directory of the cluster. Its content is kept in another folder."`
	Timeline            string `placeholder:"N" help:"The timeline to follow, where an earlier restore went another way. Without it, the latest."`
	Yes                 bool   `help:"Do not ask."`
}

// Help returns the details, which a help text has no room for.
func (c *backupRestoreCmd) Help() string {
	return `Run it as the user postgres. It takes the newest backup that had ended before the instant, plays the WAL, erases again everyone
in the ledger, begins an epoch of the log and compares the read models with it. Nothing reaches the database meanwhile.
Killed at any step, it can be repeated. With the master key it does all of that; without, it says which command is left.
Example: frontdesk backup restore --from /srv/backups --to 2026-03-02T12:00:00Z --data /var/lib/postgresql/15/main`
}

// Run restores.
func (c *backupRestoreCmd) Run(r *term.Run) error {
	var to time.Time
	if c.Instant != "latest" {
		var err error
		if to, err = time.Parse(time.RFC3339, c.Instant); err != nil {
			return errors.New("--to is an instant such as 2026-03-02T12:00:00Z, or latest")
		}
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	if !c.Yes {
		if err := r.Confirm("This takes the database in "+c.Data+" back to "+c.Instant+".", "Restore it?"); err != nil {
			return err
		}
	}
	return backup.Restore{
		From: backup.Folder(c.From), To: to, Timeline: c.Timeline, Data: filepath.Clean(c.Data), Program: program, Binaries: c.Binaries, Wait: c.Wait,
		Now: r.Now, Tell: r.Tell,
		After: func(ctx context.Context, restored backup.Restored) error { return c.after(ctx, r, restored) },
	}.Run(r.Context)
}

// after begins an epoch in the recovered database, erases again everyone in the ledger, compares
// the read models with the log, and prints the remaining steps.
func (c *backupRestoreCmd) after(ctx context.Context, r *term.Run, restored backup.Restored) error {
	masters, err := c.Given(r)
	if err != nil {
		return err
	}
	owner, err := ownerOf(ctx, restored, c.Database)
	if err != nil {
		return err
	}
	ledger := c.ErasureLedger
	if ledger == "" {
		ledger = backup.Folder(c.From).Ledger()
	}
	engine, err := app.Open(ctx, app.Config{DatabaseURL: restored.URL(c.Database, owner), MasterKeys: masters, ErasureLedger: ledger})
	if err != nil {
		return err
	}
	defer engine.Close()
	actor, err := engine.Operator(ctx, term.Machine())
	if err != nil {
		return err
	}
	ctx = event.WithMetadata(ctx, event.Metadata{Actor: actor})
	log, err := engine.Sequencer.EnterEpoch(ctx)
	if err != nil {
		return err
	}
	erased, left, err := c.erase(ctx, engine, masters.IDs())
	if err != nil {
		return err
	}
	differs, err := compare(ctx, engine)
	if err != nil {
		return err
	}
	upto := "the backup itself: no WAL since then held a commit"
	if !restored.Upto.IsZero() {
		upto = "the commit of " + restored.Upto.UTC().Format(time.RFC3339Nano)
	}
	fmt.Fprintf(r.Out, "restored from %s, up to %s, on timeline %d\n", restored.Base.Name, upto, restored.Timeline)
	fmt.Fprintf(r.Out, "epoch %d has begun; the log ends at idx %d\n", log.Epoch, log.Head)
	fmt.Fprintf(r.Out, "erased again: %d people\n", erased)
	for _, text := range append(left, differs...) {
		fmt.Fprintln(r.Out, "to do: "+text)
	}
	fmt.Fprint(r.Out, `to do: start Postgres, and make a backup at once
to do: start sign with --accept-epoch if it says that signed entries are lost, then serve and relay
lost: all answers after that commit. Tell the practices, and the owners of the applications: webhooks since then may be
missing, or may name records that no longer exist, so they fetch fresh data
`)
	return nil
}

// ownerOf returns the role that owns a restored database.
func ownerOf(ctx context.Context, restored backup.Restored, database string) (owner string, err error) {
	conn, err := pgx.Connect(ctx, restored.URL(database, "postgres"))
	if err != nil {
		return "", fmt.Errorf("look at the restored database: %w", err)
	}
	err = conn.QueryRow(ctx, `SELECT datdba::regrole::text FROM pg_database WHERE datname = current_database()`).Scan(&owner)
	return owner, errors.Join(err, conn.Close(ctx))
}

// erase erases again everyone who came back. Without the master key it says what is left.
func (c *backupRestoreCmd) erase(ctx context.Context, engine *app.Engine, masters []string) (erased int, left []string, err error) {
	back, err := engine.NotErased(ctx)
	if err != nil || len(back) == 0 {
		return 0, nil, err
	}
	if len(masters) == 0 {
		return 0, []string{fmt.Sprintf("%d people who were erased are back: before serve, which refuses to start, run frontdesk erasure reapply with the master key", len(back))}, nil
	}
	erased, err = engine.ReapplyErasures(ctx, engine.Desk, masters)
	return erased, nil, err
}

// compare compares the read models with the log.
func compare(ctx context.Context, engine *app.Engine) (differs []string, err error) {
	rebuild, err := engine.Auditor.Rebuild(nil)
	if err != nil {
		return nil, err
	}
	result, err := rebuild.Run(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range result.Differences {
		differs = append(differs, fmt.Sprintf("table %s differs from the log: run frontdesk audit rebuild --switch", d.Table))
	}
	if len(result.NotCompared) > 0 {
		differs = append(differs, "compare the read models of personal data with the master key: frontdesk audit rebuild")
	}
	return differs, nil
}

type backupPruneCmd struct {
	folderFromFlag `embed:""`
	Keep           int  `default:"14" help:"How many backups to keep."`
	DryRun         bool `help:"Only list what would be removed."`
	Yes            bool `help:"Do not ask."`
}

// Help gives an example.
func (c *backupPruneCmd) Help() string {
	return "WAL that no kept backup needs is removed too.\nExample: frontdesk backup prune --from /srv/backups --keep 14 --dry-run"
}

// Run removes old backups.
func (c *backupPruneCmd) Run(r *term.Run) error {
	folder := backup.Folder(c.From)
	gone, err := folder.Prune(r.Context, c.Keep, true)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "to be removed: %d backups (%s), %d segments of WAL\n", len(gone.Bases), strings.Join(gone.Bases, ", "), len(gone.Segments))
	if c.DryRun || len(gone.Bases)+len(gone.Segments) == 0 {
		return nil
	}
	if !c.Yes {
		if err := r.Confirm("They cannot be brought back.", "Remove them?"); err != nil {
			return err
		}
	}
	_, err = folder.Prune(r.Context, c.Keep, false)
	return err
}

type backupListCmd struct {
	folderFromFlag `embed:""`
}

// Run lists the backups.
func (c *backupListCmd) Run(r *term.Run) error {
	all, err := backup.Folder(c.From).Bases()
	if err != nil {
		return err
	}
	for _, base := range all {
		fmt.Fprintf(r.Out, "%s  %s old  restores any instant since %s  needs master keys %s\n", base.Name, r.Now().Sub(base.Ended).Round(time.Second),
			base.Ended.UTC().Format(time.RFC3339), strings.Join(base.Keys, ", "))
	}
	verified, err := backup.Folder(c.From).Verified()
	if err == nil && verified.Base != "" {
		fmt.Fprintf(r.Out, "verified: %s at %s\n", verified.Base, verified.At.Format(time.RFC3339))
	}
	return err
}

type backupArchiveCmd struct {
	folderToFlag `embed:""`
	Path         string `arg:"" help:"%p of archive_command."`
	Name         string `arg:"" help:"%f of archive_command."`
}

// Run stores a file.
func (c *backupArchiveCmd) Run(*term.Run) error { return backup.Folder(c.To).Archive(c.Path, c.Name) }

type backupFetchCmd struct {
	folderFromFlag `embed:""`
	Name           string `arg:"" help:"%f of restore_command."`
	Path           string `arg:"" help:"%p of restore_command."`
}

// Run fetches a file.
func (c *backupFetchCmd) Run(*term.Run) error { return backup.Folder(c.From).Fetch(c.Name, c.Path) }
