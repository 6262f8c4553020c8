// Package postgres keeps events in PostgreSQL, puts them into one log, and lets
// consumers follow that log.
//
//	Store.Append ──→ events                    one pipelined batch, with the
//	     │              │                      projections that hold at once
//	     │ broadcast    │ Sequencer
//	     └────────────→ ▼
//	                   log                     idx: dense, causal, final in an epoch
//	                    │ broadcast
//	                    ▼
//	                   Consumer                watermill feed: following projections,
//	                                           webhook fan-out
//
// Its parts:
//
//   - [Store] loads and appends streams; [Log] reads everything by idx.
//   - [Keyring] encrypts and decrypts personal values of events; [MasterChange] wraps its
//     keys again.
//   - [Eraser] destroys the keys of a person, with a fence against later appends (D70).
//   - [Sequencer] turns positions, which are drawn concurrently, into the log.
//   - [Consumer] hands each event of the log to one handler, once, in order.
//   - [DB] asks the database, keeps its short absences from callers, and turns its
//     errors into what a caller may be told.
//   - [accesslog.Recorder] writes the access record, and [accesslog.Record] reads it.
//   - [uploads.Store] keeps the files that patients send.
//   - [Migrate], [CheckSchema] and [CreateRoles] look after the schema, and
//     [CheckOwner] and [ChangeOwner] after who owns it (D51). [Locks] gets strong locks
//     beside a service that goes on, and [Alone] is what one session at a time has (D54).
//   - [Comparer] goes on comparing events with the log, and [Log.Losses] does it at once.
//
// A database that has lost the end of its log begins a new epoch, before anything is
// placed or told (D49).
//
// The very next call sees what an append has changed. What the feed carries is
// seen a few milliseconds later.
package postgres
