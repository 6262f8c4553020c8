package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"

	"frontdesk/docs/operate"
	"frontdesk/migrations"
	"frontdesk/projections"
)

// SchemaError is a mismatch of the versions of database and program. Versions are the
// numbers of migration files.
type SchemaError struct{ Database, Program int64 }

// Error returns both versions and the command that fixes it.
func (e *SchemaError) Error() string {
	if e.Database > e.Program {
		return fmt.Sprintf("the database is at version %d, newer than this program's %d: run a newer frontdesk", e.Database, e.Program)
	}
	return fmt.Sprintf("the database is at version %d, this program needs %d: run frontdesk migrate", e.Database, e.Program)
}

// SchemaVersion returns the version of the schema that this program needs.
func SchemaVersion() (int64, error) { return newest(migrations.FS) }

// CheckSchema returns nil if the database has the schema of this program, or a newer one
// that serves it (D178). It returns a [*SchemaError] if it has not, and another error if the
// database does not answer. The serving role may call it.
func CheckSchema(ctx context.Context, db projections.Querier) error {
	return checkSchema(ctx, db, migrations.FS)
}

func checkSchema(ctx context.Context, db projections.Querier, files fs.FS) error {
	versions, oldest, err := readVersions(ctx, db, files)
	if err != nil {
		return err
	}
	if versions.Database < versions.Program || versions.Program < oldest {
		return &versions
	}
	return nil
}

// readVersions returns the versions of database and program, and that of the oldest program
// that the database serves. A database that is not migrated is at version 0.
func readVersions(ctx context.Context, db projections.Querier, files fs.FS) (versions SchemaError, oldest int64, err error) {
	if versions.Program, err = newest(files); err != nil {
		return versions, 0, err
	}
	err = db.QueryRow(ctx, `SELECT coalesce(max(version_id), 0), (SELECT oldest_program FROM schema_support) FROM `+goose.DefaultTablename+` WHERE is_applied`).
		Scan(&versions.Database, &oldest)
	if unmigrated, ok := errors.AsType[*pgconn.PgError](err); ok && unmigrated.Code == undefinedTable {
		return versions, 0, nil
	}
	if err != nil {
		return versions, 0, fmt.Errorf("read schema version: %w", err)
	}
	return versions, oldest, nil
}

// CheckWritable returns nil if the database takes changes. It does not detect a full disk:
// small changes succeed there until a file has to grow, and trying larger ones would use up
// the space left for the write-ahead log.
func CheckWritable(ctx context.Context, db projections.Querier) error {
	var readOnly bool
	err := db.QueryRow(ctx, `SELECT current_setting('transaction_read_only')::boolean`).Scan(&readOnly)
	if err != nil {
		return fmt.Errorf("ask whether the database takes changes: %w", err)
	}
	if readOnly {
		return errors.New(stateReadOnly)
	}
	return nil
}

// SequenceError is a fault of the sequence of positions, such as "is cached". Events could
// be appended at positions that the sequencer has passed, and never get into the log (D52).
type SequenceError struct{ Fault string }

// Error returns the fault and the fix.
func (e *SequenceError) Error() string {
	return "the sequence of positions " + e.Fault + ": as the owner, SELECT mend_sequence()"
}

// CheckSequence returns nil if positions are drawn as they must be, and a
// [*SequenceError] if they are not. The serving role may call it.
func CheckSequence(ctx context.Context, db projections.Querier) error {
	var fault *string
	if err := db.QueryRow(ctx, `SELECT fault FROM sequence_fault`).Scan(&fault); err != nil {
		return fmt.Errorf("ask how positions are drawn: %w", err)
	}
	if fault != nil {
		return &SequenceError{*fault}
	}
	return nil
}

// undefinedTable is Postgres's code for a database without goose's table: it is not migrated
// yet.
const undefinedTable = "42P01"

// newest returns the version of the last migration.
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

// The roles that migrations grant to. They belong to the whole cluster, not to
// one database, and own nothing: the owner who migrates is another role.
const (
	AppRole    = "frontdesk_app"    // serves: it reads and appends events, and changes none
	AuditRole  = "frontdesk_audit"  // reads, and records that it has read
	SignerRole = "frontdesk_signer" // reads like auditors, and publishes checkpoints
)

// RolesSQL makes the roles. It is docs/operate/roles.sql.
var RolesSQL = operate.Roles

// CreateRoles makes the roles that do not exist, by [RolesSQL]. They may log
// in, but have no password: set one, or map them by certificate or peer. CreateRoles may
// run again, and several may run at once. The role of the URL is a superuser.
func CreateRoles(ctx context.Context, superuserURL string) error {
	conn, err := pgx.Connect(ctx, superuserURL)
	if err != nil {
		return fmt.Errorf("connect to create roles: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, RolesSQL); err != nil {
		return fmt.Errorf("create roles: %w", err)
	}
	return requireRoles(ctx, conn)
}

// requireRoles refuses a cluster without the roles, and one where a role is a
// superuser, who could change events.
func requireRoles(ctx context.Context, db projections.Querier) error {
	var found, superusers int
	err := db.QueryRow(ctx,
		`SELECT count(*), count(*) FILTER (WHERE rolsuper) FROM pg_roles WHERE rolname IN ($1, $2, $3)`, AppRole, AuditRole, SignerRole).Scan(&found, &superusers)
	switch {
	case err != nil:
		return fmt.Errorf("look for roles: %w", err)
	case found < 3:
		return fmt.Errorf("the roles %s, %s and %s do not all exist: run frontdesk roles | psql as a superuser", AppRole, AuditRole, SignerRole)
	case superusers > 0:
		return fmt.Errorf("%s, %s or %s is a superuser, whom no rule stops from changing events: ALTER ROLE … NOSUPERUSER", AppRole, AuditRole, SignerRole)
	}
	return nil
}
