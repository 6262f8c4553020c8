package tracing

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"math"
	"net/http"
	"time"

	"github.com/exaring/otelpgx"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"go.opentelemetry.io/otel/metric/noop"
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

// A draw is the random part of an id: its last 56 bits, as in W3C Trace Context. In a
// UUIDv7 these are random, and those before them are not: OpenTelemetry's sampler reads
// 63 bits, and would sample nothing at a share of a tenth.
const drawn = 56

func drawOf(id uuid.UUID) uint64 { return binary.BigEndian.Uint64(id[8:]) & (1<<drawn - 1) }

// lowestDraw returns the lowest sampled draw.
func lowestDraw(share float64) uint64 { return uint64(math.Round((1 - share) * (1 << drawn))) }

// rootOf returns the root span of a call, for continuing its trace. It is derived from
// the call's id.
func rootOf(call uuid.UUID) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID(call), SpanID: trace.SpanID(call[8:]), TraceFlags: trace.FlagsSampled, Remote: true,
	})
}

type beginKey struct{}

// beginning returns a context in which the first span of a trace gets these ids. A span
// without an id gets a random one.
func beginning(ctx context.Context, as trace.SpanContext) context.Context {
	return context.WithValue(ctx, beginKey{}, as)
}

// ids gives the first span of a trace the ids in its context, and all others random
// ones.
type ids struct{}

// NewIDs returns the ids of the first span of a trace.
func (i ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	as, _ := ctx.Value(beginKey{}).(trace.SpanContext)
	if as.HasSpanID() {
		return as.TraceID(), as.SpanID()
	}
	return as.TraceID(), i.NewSpanID(ctx, as.TraceID())
}

// NewSpanID returns a random id.
func (ids) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	for !id.IsValid() {
		_, _ = rand.Read(id[:]) // never fails
	}
	return id
}

// Statements returns a tracer of database statements, combined with another one, which
// may be nil. Statements become children of the span that sends them, with their text,
// which has no values. Without a span they become none.
func (t *Tracer) Statements(beside pgx.QueryTracer) pgx.QueryTracer {
	if t == nil {
		return beside
	}
	ours := otelpgx.NewTracer(otelpgx.WithTracerProvider(t.provider), otelpgx.WithMeterProvider(noop.NewMeterProvider()),
		otelpgx.WithDisableConnectionDetailsInAttributes())
	if beside == nil {
		return ours
	}
	return multitracer.New(beside, ours)
}
