package tracing_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/tracing"
	"frontdesk/domain/event"
)

// BenchmarkStatement is what one statement of a call that is traced costs, sent and all.
func BenchmarkStatement(b *testing.B) {
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer collector.Close()
	traces, err := tracing.Start(tracing.Config{URL: collector.URL, Share: 1}, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer traces.Close()
	r := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
	statements := traces.Statements(nil)
	for b.Loop() {
		r, span := traces.Call(r, event.NewID().String(), "ping")
		for range 30 {
			ctx := statements.TraceQueryStart(r.Context(), nil, pgx.TraceQueryStartData{SQL: "SELECT everything FROM anything WHERE something = $1"})
			statements.TraceQueryEnd(ctx, nil, pgx.TraceQueryEndData{})
		}
		span.End(false)
	}
	_ = context.Background
}
