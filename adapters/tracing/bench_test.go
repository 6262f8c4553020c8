package tracing_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/tracing"
	"frontdesk/domain/event"
)

// BenchmarkSpan is the cost of a statement's span within a sampled call, made and sent.
func BenchmarkSpan(b *testing.B) {
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer collector.Close()
	traces, err := tracing.Start(tracing.Config{URL: collector.URL, Share: 1, Now: clock.System}, nil)
	if err != nil {
		b.Fatal(err)
	}
	statements := traces.Statements(nil)
	r, span := traces.Call(httptest.NewRequest(http.MethodPost, "/", http.NoBody), event.NewID().String(), "ping")
	defer cpu(b)()
	for b.Loop() {
		ctx := statements.TraceQueryStart(r.Context(), nil, pgx.TraceQueryStartData{SQL: "SELECT name FROM patients WHERE tenant = $1 AND patient = $2"})
		statements.TraceQueryEnd(ctx, nil, pgx.TraceQueryEndData{})
	}
	span.End(false)
	traces.Close()
}

// cpu returns a function that reports the CPU time of a turn, of all goroutines.
func cpu(b *testing.B) func() {
	b.Helper()
	before := benchtest.OwnCPU()
	return func() {
		b.ReportMetric(float64((benchtest.OwnCPU()-before).Nanoseconds())/float64(b.N)/1000, "µs-program")
	}
}

// BenchmarkOff is the cost of all tracing points of a call that appends while tracing
// is off.
func BenchmarkOff(b *testing.B) {
	r := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
	defer cpu(b)()
	for b.Loop() {
		var off *tracing.Tracer
		called, span := off.Call(r, "", "ping")
		ctx, step := tracing.Step(called.Context(), "append")
		_ = tracing.SpanOf(ctx)
		_, spans := off.Handling(ctx, "consumer", nil)
		spans.End(false)
		step.Number("frontdesk.events", 1)
		step.End(false)
		span.Text("frontdesk.tenant", "elm-street")
		span.Number("http.response.status_code", http.StatusOK)
		span.End(false)
		tracing.Propagate(context.Background(), http.Header{})
	}
}
