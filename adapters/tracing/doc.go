// Package tracing records where the time of a call goes, from its arrival to its
// webhooks, as OpenTelemetry traces.
//
// Nothing is stored for it. The trace id is the call's id. It is in the metadata of
// every event of the call, so a later handler of the event, in any process, continues
// the same trace ([Tracer.Handling], [Tracer.Telling]). Without a call, an event has a
// trace of its own. Sampling depends only on the trace id, so that all processes agree;
// callers choose neither.
//
//   - tracer.go: the collector, and the limits of the queue.
//   - begin.go: [Tracer] begins the spans of calls, of events and of database statements,
//     which have no values, for the sampled share. A nil Tracer begins none, and calls that
//     are not sampled cost nothing.
//   - span.go: [Span] is a span, and [Step] begins a child. Spans hold names, numbers
//     and opaque identifiers. No other package uses OpenTelemetry.
//   - exporter.go: the export of spans, without error texts, and the log of a failing
//     collector.
package tracing
