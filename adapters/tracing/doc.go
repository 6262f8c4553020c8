// Package tracing shows where the time of a call goes, from its arrival to the webhooks
// that it leads to, as traces of OpenTelemetry.
//
// Nothing is stored for it. The id of a call is its trace's: it stands in the metadata
// of every event that the call appends, so whoever handles such an event later, in
// whichever process, goes on with the same trace ([Tracer.Handling], [Tracer.Telling]).
// What no call has caused is in a trace of the event's own. Whether a trace is kept is
// decided by its id alone, so that all processes decide the same; callers choose neither.
//
//   - config.go, tracer.go: where spans go, and the bounds of what waits to be sent.
//   - begin.go, ids.go: [Tracer] begins the spans of calls and of events, for the share that
//     is traced. A nil Tracer begins none, and of calls that are not traced nothing is made.
//   - span.go: [Span] is one of them, and [Step] one within it. Spans hold names, numbers
//     and opaque identifiers. Nobody else in this tree knows OpenTelemetry.
//   - statements.go: what is sent to the database, without any value.
//   - exporter.go: what leaves the process, without words of an error; and what is said
//     of a collector that does not take it.
package tracing
