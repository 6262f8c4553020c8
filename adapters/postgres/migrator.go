package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"frontdesk/migrations"
)

// Migrated says what [Migrate] did.
type Migrated struct {
	From, To int64    // schema versions before and after; 0 is an empty database
	Applied  []string // file names of the migrations applied, in order
}

// String returns one line for whoever migrates.
func (m Migrated) String() string {
	done := "nothing to change"
	if len(m.Applied) > 0 {
		done = "applied " + strings.Join(m.Applied, ", ")
	}
	return fmt.Sprintf("%s: the schema is at version %d", done, m.To)
}

// Migrate brings the database to the schema of this program. The URL is that of the
// database's owner, or of a role that may act as the owner. Any number of migrators may run at once: the first does the
// work, and the others wait for it until ctx ends. Migrate changes nothing and
// returns an error that names --create-roles if [CreateRoles] has not run, or a
// [*SchemaError] if the database is newer than this program.
func Migrate(ctx context.Context, databaseURL string) (Migrated, error) {
	return migrate(ctx, databaseURL, migrations.FS)
}

func migrate(ctx context.Context, databaseURL string, files fs.FS) (Migrated, error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return Migrated{}, fmt.Errorf("read database URL: %w", err)
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return Migrated{}, fmt.Errorf("connect to migrate: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := requireRoles(ctx, conn); err != nil {
		return Migrated{}, err
	}
	lock, err := lockMigrations(ctx, conn)
	if err != nil {
		return Migrated{}, err
	}
	defer unlock(ctx, lock)
	if err := actAsOwner(ctx, lock, config); err != nil {
		return Migrated{}, err
	}
	db := stdlib.OpenDB(*config)
	defer db.Close()
	return up(ctx, db, files)
}

// actAsOwner makes connections of config act as the plain role that owns the schema, or
// the database if there is no schema yet. So everything has one owner, and auditors may
// read new tables, also if a superuser migrates.
func actAsOwner(ctx context.Context, db pgx.Tx, config *pgx.ConnConfig) error {
	var owner string
	err := db.QueryRow(ctx, `
		SELECT coalesce(min(rolname), '') FROM pg_roles JOIN pg_database ON datname = current_database()
		WHERE pg_roles.oid = coalesce((SELECT relowner FROM pg_class WHERE oid = to_regclass('`+goose.DefaultTablename+`')), datdba)
			AND rolname <> current_user AND NOT rolsuper AND pg_has_role(pg_roles.oid, 'MEMBER')`,
		pgx.QueryExecModeSimpleProtocol).Scan(&owner)
	if err != nil {
		return fmt.Errorf("ask who owns the schema: %w", err)
	}
	if owner != "" {
		config.RuntimeParams["role"] = owner
	}
	return nil
}

// up applies the pending migrations. The caller holds the lock.
func up(ctx context.Context, db *sql.DB, files fs.FS) (Migrated, error) {
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return Migrated{}, fmt.Errorf("read migrations: %w", err)
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return Migrated{}, fmt.Errorf("read schema version: %w", err)
	}
	if current > target {
		return Migrated{}, &SchemaError{Database: current, Program: target}
	}
	results, err := provider.Up(ctx)
	if partial, ok := errors.AsType[*goose.PartialError](err); ok {
		return Migrated{}, fmt.Errorf("apply %s: %w", partial.Failed.Source.Path, partial.Err)
	}
	if err != nil {
		return Migrated{}, fmt.Errorf("migrate: %w", err)
	}
	if _, err := db.ExecContext(ctx, grantVersion); err != nil {
		return Migrated{}, fmt.Errorf("let the program read the schema version: %w", err)
	}
	done := Migrated{From: current, To: target}
	for _, r := range results {
		done.Applied = append(done.Applied, r.Source.Path)
	}
	return done, nil
}

// grantVersion lets both roles read the schema version, for [CheckSchema]. It is no
// migration, because the table is goose's and no migration should know its name.
const grantVersion = `GRANT SELECT ON ` + goose.DefaultTablename + ` TO ` + AppRole + `, ` + AuditRole

// migrationLock is the advisory lock that migrators of one database share. This
// program uses advisory locks for nothing else.
const migrationLock = 0x66726f6e74 // "front"

// lockMigrations waits for the lock and holds it in a transaction on a connection of
// its own, so that it works through a pooler and ends with the process.
//
// A migration that says CREATE INDEX CONCURRENTLY waits for every snapshot of the
// database, so no migrator may keep one. That is why a waiter asks again and again,
// because a blocked statement has a snapshot; and why it speaks the simple protocol,
// because the extended one keeps a snapshot while the transaction is idle.
func lockMigrations(ctx context.Context, conn *pgx.Conn) (pgx.Tx, error) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock migrations: %w", err)
	}
	if _, err := tx.Exec(ctx, `SET LOCAL idle_in_transaction_session_timeout = 0`); err != nil {
		return nil, fmt.Errorf("lock migrations: %w", err)
	}
	for held := false; ; {
		err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock($1)`, pgx.QueryExecModeSimpleProtocol, migrationLock).Scan(&held)
		if err != nil {
			return nil, fmt.Errorf("lock migrations: %w", err)
		}
		if held {
			return tx, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for another migrator: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// unlock ends a transaction that holds the lock, unless it has been committed.
func unlock(ctx context.Context, tx pgx.Tx) { _ = tx.Rollback(context.WithoutCancel(ctx)) }
