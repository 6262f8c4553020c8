package postgres

import (
	"context"
	"io/fs"

	"frontdesk/projections"
)

// Bridging is [ForCallers] with another longest short outage.
var Bridging = bridging

// FormattedShape returns the schema of a database as migrations/shape.txt has it.
func FormattedShape(ctx context.Context, db projections.Querier) (string, error) {
	found, err := readShape(ctx, db)
	return found.format(), err
}

// For the migrator's tests: migrating and checking with other migrations than the program's.
var (
	MigrateFrom     = migrateFrom
	CheckSchemaFrom = checkSchema
)

// MigrationLock is the advisory lock that migrators share.
const MigrationLock = migrationLock

func migrateFrom(ctx context.Context, databaseURL string, files fs.FS) (Migrated, error) {
	return Migrator{URL: databaseURL}.From(ctx, files)
}

// From is [Migrator.Migrate] with other migrations than the program's.
func (m Migrator) From(ctx context.Context, files fs.FS) (Migrated, error) {
	return m.migrate(ctx, files)
}
