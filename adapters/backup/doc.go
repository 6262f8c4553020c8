// Package backup keeps base backups and the archive of WAL of the database's cluster in a
// folder, restores the cluster to an instant, and shows that a backup can be restored.
//
//	FOLDER/
//	  base-20261128T031000Z/  a base backup: pg_basebackup's archives, backup.json, the
//	                          ledger of erasures as it was
//	  wal/                    WAL segments and timeline histories
//	  erasures                the newest copy of the ledger
//	  verified.json           the last backup that was restored and verified
//
// It drives Postgres' own programs, as the user that owns the cluster. Each file is flushed
// before it has its name, and a name is never given to two contents. A step that was killed
// leaves a draft, which the next run removes.
package backup
