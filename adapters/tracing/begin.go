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

// keeps reports whether the trace of an id is kept. Every process with the same share says
// the same of it.
func (t *Tracer) keeps(id uuid.UUID) bool { return drawOf(id) >= t.from }

// Call begins the span of a call, if its trace is kept. What the caller says of a trace of
// its own is a link in it and nothing else: it chooses neither the id nor whether it is kept.
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

// linkTo returns the trace that a caller names, by its two ids: its state is free text.
func linkTo(headers http.Header) trace.SpanStartOption {
	theirs := trace.SpanContextFromContext(form.Extract(context.Background(), propagation.HeaderCarrier(headers)))
	if !theirs.IsValid() {
		return trace.WithLinks()
	}
	return trace.WithLinks(trace.Link{SpanContext: theirs.WithTraceState(trace.TraceState{})})
}

// form is how traces are named in headers: W3C Trace Context.
var form propagation.TraceContext

// Propagate names the trace that ctx belongs to in the headers of a request, if it belongs
// to one.
func Propagate(ctx context.Context, headers http.Header) {
	form.Inject(ctx, propagation.HeaderCarrier(headers))
}

// followed is how old an event may be to be followed. Whoever builds a read model anew
// handles those of years, whose traces have long been closed.
const followed = time.Hour

// Handling begins a span for each event of a page that a consumer handles. What is sent to
// the database for all of them at once stands in the first of their traces.
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

// follow begins a span for what is done because of an event: in the trace of the call that
// has appended it, or in one of the event's own if no call has.
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
