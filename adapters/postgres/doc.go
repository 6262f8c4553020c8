// Package postgres reaches the database, and keeps its schema, its roles and its locks.
// The packages in this folder store data there, and import in this order:
//
//	postgres ← keyring ← eventstore ← accesslog, uploads
//
// Its parts:
//
//   - [DB] queries the database, hides its short outages from callers, and turns its
//     errors into faults.
//   - [Migrate], [CheckSchema] and [CreateRoles] maintain the schema, and [CheckOwner] and
//     [ChangeOwner] its owner (D51). [Locks] takes strong locks next to a running service,
//     and [AdvisoryLock] admits one session at a time (D54).
package postgres
