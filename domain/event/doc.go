// Package event is the kernel of frontdesk: what an event is, how a history of
// events becomes a state, and how an event becomes bytes.
//
// A decision returns events or a refusal. It is a method of the state that it asks
// about:
//
//	func (p Patient) RestrictRecord(id ID, allowed []staff.ID) ([]event.Event, error)
//
// or a plain function, if it begins a stream and so has no state to ask about:
//
//	func Book(s Subject, at time.Time) ([]event.Event, error)
//
// Apply returns the state after one more event. There is no base type, no
// buffer and no registry. Time, identifiers and everything else that a rule
// asks about are arguments, so that a decision can be taken again when another
// writer came first.
//
//   - [Event], [State] and [Fold] are what rules use.
//   - [Stream], [Change] and [Recorded] are what stores use.
//   - [Metadata] and [Actor]: who caused an event, carried by the context.
//   - [Codec]: the stored names and bytes of events, which are permanent. It splits an
//     event from the [Personal] values of each [Holder], and joins them again.
//   - [Hide] is an event as decisions see it. [Redacted] and [Shown] are JSON for auditors:
//     without what is personal, and with it.
package event
