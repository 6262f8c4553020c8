package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/durable"
	"frontdesk/adapters/ledger"
)

// Create makes a base backup.
type Create struct {
	To          Folder
	DatabaseURL string // of a role with REPLICATION that may switch WAL, such as postgres by its socket
	Ledger      string // the ledger of erasures
	Program     string // the version of this program
	Keys        []string
	Binaries    string        // of Postgres; "" to look for them
	Wait        time.Duration // for the WAL of the backup to be archived
	Now         func() time.Time
	Warn        func(text string) // of a backup that would be lost with the database
}

// Run makes the backup, and returns it once all of it is on the disk and the archive has the
// WAL that it needs.
func (c Create) Run(ctx context.Context) (base Base, err error) {
	lock, err := c.To.hold()
	if err != nil {
		return base, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	conn, err := pgx.Connect(ctx, c.DatabaseURL)
	if err != nil {
		return base, fmt.Errorf("back up: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	base = Base{Name: c.Now().UTC().Format(nameFormat), Program: c.Program, Keys: c.Keys, Files: map[string]File{}}
	if err := c.look(ctx, conn, &base); err != nil {
		return base, err
	}
	if err := c.warn(ctx, conn); err != nil {
		return base, err
	}
	folder := c.To.path(base.Name + draft)
	if err := c.copyCluster(ctx, base, folder); err != nil {
		return base, err
	}
	if err := c.copyLedger(&base, folder); err != nil {
		return base, err
	}
	if err := conn.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&base.Ended); err != nil {
		return base, fmt.Errorf("back up: %w", err)
	}
	if err := describe(&base, folder); err != nil {
		return base, err
	}
	if err := c.archived(ctx, conn); err != nil {
		return base, err
	}
	if err := durable.Rename(folder, c.To.path(base.Name)); err != nil {
		return base, fmt.Errorf("back up: %w", err)
	}
	return base, nil
}

// warn warns if the folder is on the disk of the database, as when it was not mounted. A role
// that may not see the cluster's folder gets no warning.
func (c Create) warn(ctx context.Context, conn *pgx.Conn) error {
	var data string
	err := conn.QueryRow(ctx, `SELECT coalesce((SELECT setting FROM pg_settings WHERE name = 'data_directory'), '')`).Scan(&data)
	if err != nil {
		return fmt.Errorf("back up: find the folder of the cluster: %w", err)
	}
	if data != "" && onOneDisk(data, string(c.To)) {
		c.Warn(fmt.Sprintf("%s is on the disk of the database, and both are lost together: mount a folder of another machine there", c.To))
	}
	return nil
}

// look asks the cluster who it is, and whether it archives.
func (c Create) look(ctx context.Context, conn *pgx.Conn, base *Base) error {
	var archives, size string
	err := conn.QueryRow(ctx, `SELECT (current_setting('server_version_num')::int / 10000)::text, system_identifier::text, current_setting('archive_mode'), current_setting('wal_segment_size')
		FROM pg_control_system()`).
		Scan(&base.Postgres, &base.System, &archives, &size)
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	if size != "16MB" {
		return fmt.Errorf("the cluster has WAL segments of %s, and this command knows 16MB: use pgBackRest", size)
	}
	if archives == "off" {
		return fmt.Errorf("the cluster archives no WAL: set archive_mode = on and archive_command = 'frontdesk backup archive-wal --to %s %%p %%f'", c.To)
	}
	return nil
}

// copyCluster runs pg_basebackup.
func (c Create) copyCluster(ctx context.Context, base Base, folder string) error {
	at, err := pgx.ParseConfig(c.DatabaseURL)
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	tools, err := find(c.Binaries, base.Postgres)
	if err != nil {
		return err
	}
	_, err = tools.run(ctx, "pg_basebackup", "--pgdata", folder, "--dbname", c.DatabaseURL, "--username", at.User, "--format", "tar", "--gzip", "--wal-method", "stream",
		"--checkpoint", "fast", "--manifest-checksums", "SHA256", "--label", "frontdesk", "--no-password")
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	archives, err := filepath.Glob(filepath.Join(folder, "*.tar.gz"))
	if err != nil || len(archives) != 2 {
		return errors.Join(err, errors.New("the cluster has tablespaces, which this command does not restore: use pgBackRest"))
	}
	return nil
}

func (c Create) copyLedger(base *Base, folder string) error {
	lines, err := ledger.File{Name: c.Ledger}.Lines()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(c.Ledger)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the ledger of erasures %s is not there: without it, a restored backup brings erased people back", c.Ledger)
	}
	if err != nil {
		return fmt.Errorf("read the ledger of erasures: %w", err)
	}
	base.Erasures = len(lines)
	if err := durable.Replace(c.To.Ledger(), 0o600, text); err != nil {
		return fmt.Errorf("copy the ledger of erasures: %w", err)
	}
	if err := durable.Replace(filepath.Join(folder, ledgerName), 0o600, text); err != nil {
		return fmt.Errorf("copy the ledger of erasures: %w", err)
	}
	return nil
}

// describe notes where the backup begins, and the digests of its files.
func describe(base *Base, folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, "backup_manifest"))
	if err != nil {
		return fmt.Errorf("read the manifest of the backup: %w", err)
	}
	var manifest struct {
		Ranges []struct {
			Timeline int    `json:"Timeline"`
			Start    string `json:"Start-LSN"`
		} `json:"WAL-Ranges"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil || len(manifest.Ranges) == 0 {
		return errors.Join(err, errors.New("the manifest of the backup says nothing of its WAL"))
	}
	first := manifest.Ranges[0]
	var high, low uint64
	if _, err := fmt.Sscanf(first.Start, "%X/%X", &high, &low); err != nil {
		return fmt.Errorf("read the manifest of the backup: %w", err)
	}
	base.Timeline = first.Timeline
	base.Segment = fmt.Sprintf("%08X%08X%08X", first.Timeline, high, low/segmentSize)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("read the backup: %w", err)
	}
	for _, entry := range entries {
		if base.Files[entry.Name()], err = digest(filepath.Join(folder, entry.Name())); err != nil {
			return fmt.Errorf("read the backup: %w", err)
		}
	}
	description, err := json.MarshalIndent(base, "", "  ")
	if err != nil {
		return fmt.Errorf("describe the backup: %w", err)
	}
	return durable.Replace(filepath.Join(folder, described), 0o600, append(description, '\n'))
}

// archived ends the current segment, and waits until the folder has it.
func (c Create) archived(ctx context.Context, conn *pgx.Conn) error {
	var name string
	if err := conn.QueryRow(ctx, `SELECT pg_walfile_name(pg_switch_wal())`).Scan(&name); err != nil {
		return fmt.Errorf("end the WAL of the backup: %w", err)
	}
	for watch := clock.Start(); watch.Elapsed() < c.Wait; background.Sleep(ctx, 200*time.Millisecond) {
		names, err := c.To.segments()
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if slices.ContainsFunc(names, func(n string) bool { return strings.Compare(n, name) >= 0 }) {
			return nil
		}
	}
	return fmt.Errorf("the archive did not get the WAL segment %s: is archive_command 'frontdesk backup archive-wal --to %s %%p %%f'? pg_stat_archiver names its failures", name, c.To)
}
