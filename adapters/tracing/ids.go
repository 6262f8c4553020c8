package tracing

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"math"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"
)

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
