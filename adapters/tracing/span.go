package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Span is a span of a trace. The zero value is no span, and is safe to use. Its
// attributes leave the system: names, numbers and opaque identifiers, never user input.
type Span struct{ span trace.Span }

// Step begins a child of the span of ctx. Without a span it begins none.
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

// Within returns a context with the span.
func (s Span) Within(ctx context.Context) context.Context {
	if s.span == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, s.span)
}

// Recording reports whether there is a span, and it has not ended.
func (s Span) Recording() bool { return s.span != nil && s.span.IsRecording() }

// Text sets a text attribute, unless it is empty.
func (s Span) Text(name, value string) {
	if s.span != nil && value != "" {
		s.span.SetAttributes(attribute.String(name, value))
	}
}

// Number sets a number attribute, unless it is zero.
func (s Span) Number(name string, n int) {
	if s.span != nil && n != 0 {
		s.span.SetAttributes(attribute.Int(name, n))
	}
}

// End ends the span. It records whether there was an error, but not its text, which may
// quote user input.
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
