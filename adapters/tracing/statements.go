package tracing

import (
	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"go.opentelemetry.io/otel/metric/noop"
)

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
