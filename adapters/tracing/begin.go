package tracing

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"frontdesk/domain/event"
)

// keeps reports whether the trace of an id is sampled. All processes with the same
// share agree.
func (t *Tracer) keeps(id uuid.UUID) bool { return drawOf(id) >= t.from }

// Call begins the span of a call, if its trace is sampled. A trace context from the
// caller becomes a link and nothing else: it sets neither the id nor the sampling.
func (t *Tracer) Call(r *http.Request, requestID, endpoint string) (*http.Request, Span) {
	if t == nil {
		return r, Span{}
	}
	id, err := uuid.Parse(requestID)
	if err != nil || !t.keeps(id) {
		return r, Span{}
	}
	ctx, span := t.tracer.Start(beginning(r.Context(), rootOf(id)), endpoint, trace.WithSpanKind(trace.SpanKindServer), linkTo(r.Header))
	return r.WithContext(ctx), Span{span}
}

// linkTo returns a link to the caller's trace by its two ids, without its state, which
// is free text.
func linkTo(headers http.Header) trace.SpanStartOption {
	theirs := trace.SpanContextFromContext(form.Extract(context.Background(), propagation.HeaderCarrier(headers)))
	if !theirs.IsValid() {
		return trace.WithLinks()
	}
	return trace.WithLinks(trace.Link{SpanContext: theirs.WithTraceState(trace.TraceState{})})
}

// form is the format of trace headers: W3C Trace Context.
var form propagation.TraceContext

// Propagate adds the trace of ctx to the headers of a request, if there is one.
func Propagate(ctx context.Context, headers http.Header) {
	form.Inject(ctx, propagation.HeaderCarrier(headers))
}

// followed is the maximum age of an event whose trace is continued. A rebuild handles
// events of years, whose traces have long ended.
const followed = time.Hour

// Handling begins a span for each event of a page that a consumer handles. Statements
// for all of them at once are in the first of their traces.
func (t *Tracer) Handling(ctx context.Context, consumer string, page []event.Recorded) (context.Context, Spans) {
	if t == nil {
		return ctx, nil
	}
	var all Spans
	first := ctx
	for _, e := range page {
		within, span := t.follow(ctx, consumer, trace.SpanKindConsumer, e)
		if !span.Recording() {
			continue
		}
		if span.Number("frontdesk.page", len(page)); len(all) == 0 {
			first = within
		}
		all = append(all, span)
	}
	return first, all
}

// Telling begins the span of a webhook about an event.
func (t *Tracer) Telling(ctx context.Context, e event.Recorded) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	return t.follow(ctx, "webhook", trace.SpanKindClient, e)
}

// follow begins a span for work because of an event: in the trace of the call that
// appended it, or in one of the event's own.
func (t *Tracer) follow(ctx context.Context, name string, kind trace.SpanKind, e event.Recorded) (context.Context, Span) {
	id, parent := e.ID, trace.SpanContext{}
	if call, err := uuid.Parse(e.Metadata.RequestID); err == nil {
		id, parent = call, rootOf(call)
	}
	if !t.keeps(id) || t.now().Sub(e.At) > followed {
		return ctx, Span{}
	}
	own := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID(id)})
	ctx, begun := t.tracer.Start(trace.ContextWithSpanContext(beginning(ctx, own), parent), name, trace.WithSpanKind(kind))
	span := Span{begun}
	span.Text("frontdesk.event", e.ID.String())
	span.Text("frontdesk.event.name", e.EventName())
	span.Text("frontdesk.tenant", e.Stream.Tenant)
	return ctx, span
}
