package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"

	"frontdesk/migrations"
)

// Migrator changes the schema, or its owner, next to a running service. One at a time works
// on a database; the others wait for it.
type Migrator struct {
	URL  string        // the database, as its owner or as a role that may act as the owner
	Wait time.Duration // for locks that others hold, for each migration; 0 means ten minutes
	Tell func(string)  // receives the sessions that it waits for; may be nil
}

// Migrated is the result of [Migrator.Migrate].
type Migrated struct {
	From, To int64    // schema versions before and after; 0 is an empty database
	Applied  []string // file names of the migrations applied, in order
}

// String returns one line for the operator.
func (m Migrated) String() string {
	done := "nothing to change"
	if len(m.Applied) > 0 {
		done = "applied " + strings.Join(m.Applied, ", ")
	}
	return fmt.Sprintf("%s: the schema is at version %d", done, m.To)
}

// Migrate is [Migrator.Migrate] for a database without other users.
func Migrate(ctx context.Context, databaseURL string) (Migrated, error) {
	return Migrator{URL: databaseURL}.Migrate(ctx)
}

// Migrate brings the database to the schema of this program. It waits for another
// migrator until ctx ends. It changes nothing and returns an error that names
// frontdesk roles if [CreateRoles] has not run, or a [*SchemaError] if the database is
// newer than this program. If it gives up, the migrations that it has applied stay.
func (m Migrator) Migrate(ctx context.Context) (Migrated, error) {
	return m.migrate(ctx, migrations.FS)
}

func (m Migrator) migrate(ctx context.Context, files fs.FS) (Migrated, error) {
	w, err := m.open(ctx)
	if err != nil {
		return Migrated{}, err
	}
	defer w.close(ctx)
	if err := requireRoles(ctx, w.conn); err != nil {
		return Migrated{}, err
	}
	if err := requireOwned(ctx, w.conn); err != nil {
		return Migrated{}, err
	}
	if err := w.takeLock(ctx); err != nil {
		return Migrated{}, err
	}
	if err := actAsOwner(ctx, w.lock.tx, w.config); err != nil {
		return Migrated{}, err
	}
	if err := requirePlainOwner(ctx, w.lock.tx, cmp.Or(w.config.RuntimeParams["role"], w.config.User)); err != nil {
		return Migrated{}, err
	}
	return w.up(ctx, files)
}

// migrating is a migrator at work.
type migrating struct {
	Migrator
	config *pgx.ConnConfig // of the connections that migrate
	conn   *pgx.Conn       // holds the lock of migrators
	lock   *AdvisoryLock
	seeing *pgxpool.Pool // finds the blockers
	locks  Locks
}

// migratorName is the application_name of a migrator's sessions.
const migratorName = "frontdesk migrate"

func (m Migrator) open(ctx context.Context) (*migrating, error) {
	config, err := pgx.ParseConfig(m.URL)
	if err != nil {
		return nil, fmt.Errorf("read database URL: %w", err)
	}
	config.RuntimeParams["application_name"] = migratorName
	w := &migrating{Migrator: m, config: config}
	if w.seeing, err = NewPool(ctx, m.URL, 1); err != nil {
		return nil, err
	}
	if w.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		w.seeing.Close()
		return nil, fmt.Errorf("connect to migrate: %w", err)
	}
	w.locks = Locks{DB: On(w.seeing), As: migratorName, Limit: m.Wait, Tell: m.Tell}
	return w, nil
}

// close rolls back uncommitted changes, and ends the connections.
func (w *migrating) close(ctx context.Context) {
	_ = w.conn.Close(context.WithoutCancel(ctx))
	w.seeing.Close()
}

// takeLock waits until no other migrator is at work.
func (w *migrating) takeLock(ctx context.Context) (err error) {
	if w.lock, err = NewAdvisoryLock(ctx, w.conn, migrationLock, migratorName); err != nil {
		return fmt.Errorf("lock migrations: %w", err)
	}
	return w.lock.Wait(ctx, w.seeing, func(other Blocker) {
		if w.Tell != nil {
			w.Tell("another migrator is at work: " + other.String())
		}
	})
}

// requireOwned refuses a role that may not change the existing tables.
func requireOwned(ctx context.Context, db *pgx.Conn) error {
	var user, owner string
	err := db.QueryRow(ctx, `
		SELECT current_user, rolname FROM pg_class JOIN pg_roles ON pg_roles.oid = relowner
		WHERE pg_class.oid = to_regclass('`+goose.DefaultTablename+`') AND NOT pg_has_role(relowner, 'MEMBER')`,
		pgx.QueryExecModeSimpleProtocol).Scan(&user, &owner)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("ask who owns the schema: %w", err)
	}
	return fmt.Errorf("%s does not own the schema: name a --database-url that connects as %s", user, owner)
}

// actAsOwner makes connections of config act as the plain role that owns the schema, or
// the database if there is no schema yet. So everything has one owner, and auditors may
// read new tables, even if a superuser migrates.
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

// up applies the pending migrations, one by one. The caller holds the lock.
func (w *migrating) up(ctx context.Context, files fs.FS) (Migrated, error) {
	s := steps{files: files, config: w.config}
	done, err := s.versions(ctx)
	for err == nil {
		err = w.locks.Ask(ctx, s.next)
	}
	if !errors.Is(err, goose.ErrNoNextVersion) {
		return Migrated{}, err
	}
	done.Applied = s.applied
	return done, s.grant(ctx)
}
