package cli

import (
	"context"
	"io"
	"log/slog"

	"frontdesk/adapters/httpapi"
)

// newLog writes one JSON object a line; records of a call carry its id.
func newLog(w io.Writer) *slog.Logger {
	return slog.New(identified{slog.NewJSONHandler(w, nil)})
}

// identified adds the id of the call to its records.
type identified struct{ slog.Handler }

// Handle implements [slog.Handler].
func (h identified) Handle(ctx context.Context, record slog.Record) error {
	if id := httpapi.RequestID(ctx); id != "" {
		record.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs implements [slog.Handler].
func (h identified) WithAttrs(attrs []slog.Attr) slog.Handler {
	return identified{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (h identified) WithGroup(name string) slog.Handler { return identified{h.Handler.WithGroup(name)} }
