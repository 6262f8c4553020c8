package tracing

import (
	"context"
	"log/slog"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// exporter sends spans. It logs once when that begins to fail, and once when it works
// again. It is not called concurrently.
type exporter struct {
	sdk.SpanExporter
	active context.Context // when it ends, no more spans are sent
	log    *slog.Logger
	lost   int // spans since the last successful export
}

// ExportSpans sends spans without error texts. It returns no error, because it logs
// failures itself.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if e.active.Err() != nil {
		return nil // there is no time left
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.active, cancel)()
	wordless := make([]sdk.ReadOnlySpan, len(spans))
	for n, span := range spans {
		wordless[n] = plain{span}
	}
	e.logState(ctx, e.SpanExporter.ExportSpans(ctx, wordless), len(spans))
	return nil
}

func (e *exporter) logState(ctx context.Context, err error, spans int) {
	switch {
	case err != nil && e.lost == 0:
		e.log.WarnContext(ctx, "the collector does not accept traces; they are lost until it does", slog.Any("error", err))
	case err == nil && e.lost > 0:
		e.log.InfoContext(ctx, "the collector accepts traces again", slog.Int("spans_lost", e.lost))
	}
	if err == nil {
		e.lost = 0
		return
	}
	e.lost += spans
}

// plain is a span whose status has no description: an error of the database may quote
// user input.
type plain struct{ sdk.ReadOnlySpan }

// Status returns the status without its description.
func (p plain) Status() sdk.Status { return sdk.Status{Code: p.ReadOnlySpan.Status().Code} }
