// Package event is the kernel of frontdesk: what an event is, how a state
// folds out of events, and how both become bytes.
//
// A decision is a method of a state that returns events or a refusal:
//
//	func (r Request) Submit(s Submission) ([]event.Event, error)
//
// and Apply moves the state past one event. Nothing else is needed: there is
// no base type, no buffer and no registry. Time, identifiers and whatever
// else a rule asks about are arguments, so that a decision may be taken again
// when another writer came first.
//
//   - [Event], [State] and [Fold]: the rules' side.
//   - [Stream], [Change] and [Recorded]: the stores' side.
//   - [Metadata] and [Actor]: who caused an event, carried by the context.
//   - [Codec]: permanent stored names and bytes; the only place that knows both.
//   - [Redacted]: an event without personal data, for logs and auditors.
package event
