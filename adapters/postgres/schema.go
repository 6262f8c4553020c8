package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"

	"frontdesk/migrations"
	"frontdesk/projections"
)

// SchemaError says that the database and the program do not fit together, and
// what to do about it. Versions are the numbers of migration files.
type SchemaError struct{ Database, Program int64 }

// Ahead reports whether the database is the newer one. A program that serves
// already may go on serving then, which is what a rolling upgrade looks like.
func (e *SchemaError) Ahead() bool { return e.Database > e.Program }

// Error implements error.
func (e *SchemaError) Error() string {
	if e.Ahead() {
		return fmt.Sprintf("the database is at version %d, newer than this program's %d: run a newer frontdesk", e.Database, e.Program)
	}
	return fmt.Sprintf("the database is at version %d, this program needs %d: run frontdesk migrate", e.Database, e.Program)
}

// CheckSchema returns nil when the database has exactly the schema of this
// program, a [*SchemaError] when it has not, and another error when it cannot
// be asked. The serving role may call it.
func CheckSchema(ctx context.Context, db projections.Querier) error {
	return checkSchema(ctx, db, migrations.FS)
}

func checkSchema(ctx context.Context, db projections.Querier, files fs.FS) error {
	program, err := newest(files)
	if err != nil {
		return err
	}
	var database int64
	err = db.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM `+goose.DefaultTablename+` WHERE is_applied`).Scan(&database)
	if unmigrated, ok := errors.AsType[*pgconn.PgError](err); ok && unmigrated.Code == undefinedTable {
		err = nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("read schema version: %w", err)
	case database != program:
		return &SchemaError{Database: database, Program: program}
	}
	return nil
}

const undefinedTable = "42P01"

// newest is the version of the last migration.
func newest(files fs.FS) (version int64, err error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return 0, fmt.Errorf("list migrations: %w", err)
	}
	for _, name := range names {
		n, err := goose.NumericComponent(name)
		if err != nil {
			return 0, fmt.Errorf("read version of %s: %w", name, err)
		}
		version = max(version, n)
	}
	return version, nil
}
