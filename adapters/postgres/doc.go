// Package postgres reaches the database, and keeps its schema, its roles and its locks.
// The packages in this folder store data there, and import in this order:
//
//	postgres ← keyring ← eventstore ← accesslog, uploads
//
// Its parts:
//
//   - [DB] asks the database, keeps its short absences from callers, and turns its
//     errors into what a caller may be told.
//   - [Migrate], [CheckSchema] and [CreateRoles] look after the schema, and
//     [CheckOwner] and [ChangeOwner] after who owns it (D51). [Locks] gets strong
//     locks beside a service that goes on, and [Alone] is what one session at a time has (D54).
package postgres
