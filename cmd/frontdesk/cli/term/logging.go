package term

import (
	"context"
	"io"
	"log/slog"

	"frontdesk/adapters/httpapi"
)

// LogFlags are the flags of whatever logs for long.
type LogFlags struct {
	LogLevel string `enum:"debug,info,warn,error" default:"info" help:"Minimum log level: debug, info, warn or error."`
}

// Log returns the logger that writes such lines.
func (f LogFlags) Log(w io.Writer) *slog.Logger {
	var least slog.Level
	_ = least.UnmarshalText([]byte(f.LogLevel)) // one of those four
	return LogFrom(w, least)
}

// NewLog writes one JSON object a line. The lines of a call carry its id and its caller.
func NewLog(w io.Writer) *slog.Logger { return LogFrom(w, slog.LevelInfo) }

// LogFrom returns the same for lines of this level and above.
func LogFrom(w io.Writer, least slog.Level) *slog.Logger {
	return slog.New(identified{newRepeats(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: least}))})
}

const requestID = "request_id"

// identified adds the id of the call and, once that is known, the practice and the
// application that called.
type identified struct{ slog.Handler }

func (h identified) Handle(ctx context.Context, record slog.Record) error {
	if id := httpapi.RequestID(ctx); id != "" {
		record.AddAttrs(slog.String(requestID, id))
	}
	if tenant, by, known := httpapi.CallerOf(ctx); known {
		record.AddAttrs(slog.String("tenant", tenant), slog.String("application", by.String()))
	}
	return h.Handler.Handle(ctx, record)
}

func (h identified) WithAttrs(attrs []slog.Attr) slog.Handler {
	return identified{h.Handler.WithAttrs(attrs)}
}

func (h identified) WithGroup(name string) slog.Handler { return identified{h.Handler.WithGroup(name)} }
