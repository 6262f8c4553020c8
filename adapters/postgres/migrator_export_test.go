package postgres

// What the migrator's tests see: it and the check with other migrations than
// the program's.
var (
	MigrateFrom     = migrate
	CheckSchemaFrom = checkSchema
)

// MigrationLock is the advisory lock that migrators share.
const MigrationLock = migrationLock
