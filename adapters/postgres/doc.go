// Package postgres keeps the event log in PostgreSQL and lets others follow it.
//
//		 Store.Append ──→ events                    one pipelined batch, with the
//		      │              │                      projections that hold at once
//		      │ bell         │ Sequencer
//		      └────────────→ ▼
//		                    log (idx: dense, final, causal)
//		                     │ bell
//		                     ▼
//		                    Consumer                watermill feed: following projections,
//		                                            webhook fan-out
//
//	  - [Store] loads and appends streams; [Log] reads everything by idx.
//	  - [Sequencer] turns positions, which are drawn concurrently, into the log.
//	  - [Consumer] hands each event of the log to one handler, once, in order.
//	  - [DB] asks the database, and says what its errors mean to a caller.
//	  - [Migrate], [CheckSchema] and [CreateRoles] look after the schema.
//
// What an append has made true is true for the very next call; what follows
// the feed is true a few milliseconds later.
package postgres
