// Package event is the kernel of frontdesk: events, the state that follows from a
// history of events, and the encoding of events.
//
// A decision returns events or a refusal. It is a method of the state that it reads:
//
//	func (p Patient) RestrictRecord(id ID, allowed []staff.ID) ([]event.Event, error)
//
// or a plain function, if it begins a stream and so has no state to read:
//
//	func Book(s Subject, at time.Time) ([]event.Event, error)
//
// Apply returns the state after one more event. There is no base type, no buffer and no
// registry. Time, identifiers and all other facts that a rule needs are arguments, so
// that a decision can be repeated when another writer came first.
//
//   - [Event], [State] and [Fold] are for rules.
//   - [Stream], [Change] and [Recorded] are for stores.
//   - [Metadata] and [Actor]: the cause of an event, carried by the context.
//   - [Codec]: the stored names and bytes of events, which are permanent. It splits
//     an event from the [Personal] values of each [Holder], and joins them again.
//   - [Hide] returns an event as decisions see it. [Redacted] and [WithoutSecrets] are JSON
//     for auditors: without and with personal data.
package event
