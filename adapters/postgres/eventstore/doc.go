// Package eventstore appends events, puts them into one log, and lets consumers follow
// that log.
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
//   - [Store] loads and appends streams; [Eraser] destroys the keys of a person, with a
//     fence against later appends (D70).
//   - [Sequencer] turns positions, which are drawn concurrently, into the log. A database
//     that has lost the end of its log begins a new epoch before it places events (D49).
//   - [Log] reads everything by idx, and [Selection] a part of it.
//   - [Consumer] hands each event of the log to one handler, once, in order; [Watch] looks
//     at the log as the read models show it. Both read by a [Tail].
//   - [ConsistencyCheck] keeps comparing events with the log, and [Log.MissingEvents] does it
//     once.
//
// The very next call sees the projections of an append. Consumers of the log see an event a
// few milliseconds later.
package eventstore
