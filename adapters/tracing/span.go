package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Span is a stretch of time in a trace. The zero value is none, and may be used as any
// other. What it is given leaves the house: names, numbers and opaque identifiers, and
// nothing that anybody has written.
type Span struct{ span trace.Span }

// Step begins a span within the one that ctx belongs to. If it belongs to none, there is
// none.
func Step(ctx context.Context, name string) (context.Context, Span) {
	around := trace.SpanFromContext(ctx)
	if !around.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := around.TracerProvider().Tracer(scope).Start(ctx, name)
	return ctx, Span{span}
}

// SpanOf returns the span that ctx belongs to.
func SpanOf(ctx context.Context) Span { return Span{trace.SpanFromContext(ctx)} }

// Within returns a context that belongs to the span.
func (s Span) Within(ctx context.Context) context.Context {
	if s.span == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, s.span)
}

// Recording reports whether there is a span, and it has not ended.
func (s Span) Recording() bool { return s.span != nil && s.span.IsRecording() }

// Text says something in a word. An empty one is not said.
func (s Span) Text(name, value string) {
	if s.span != nil && value != "" {
		s.span.SetAttributes(attribute.String(name, value))
	}
}

// Number says something in a number. Zero is not said.
func (s Span) Number(name string, n int) {
	if s.span != nil && n != 0 {
		s.span.SetAttributes(attribute.Int(name, n))
	}
}

// End ends the span. It says whether there was an error, and not which: its words may
// quote somebody.
func (s Span) End(failed bool) {
	if s.span == nil {
		return
	}
	if failed {
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}

// Spans are spans that end together.
type Spans []Span

// End ends all of them.
func (s Spans) End(failed bool) {
	for _, span := range s {
		span.End(failed)
	}
}
