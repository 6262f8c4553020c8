package term

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"sync"
	"time"

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

// repeats leaves out a warning or an error that repeats, word for word, a line of the last
// minute: while the database is away, each worker logs each of its tries. The lines of a
// call or of a page are never the same: they have an id.
type repeats struct {
	slog.Handler
	with   string // added by WithAttrs and WithGroup
	recent *recentLines
}

func newRepeats(h slog.Handler) slog.Handler {
	return repeats{h, "", &recentLines{lines: map[string]*once{}}}
}

func (h repeats) Handle(ctx context.Context, record slog.Record) error {
	if record.Level < slog.LevelWarn || identifies(record) {
		return h.Handler.Handle(ctx, record)
	}
	left, again := h.recent.lately(h.words(record), record.Time)
	if again {
		return nil
	}
	if left > 0 {
		record.AddAttrs(slog.Int("repeated", left))
	}
	return h.Handler.Handle(ctx, record)
}

func identifies(record slog.Record) (found bool) {
	record.Attrs(func(a slog.Attr) bool {
		found = a.Key == requestID
		return !found
	})
	return found
}

func (h repeats) words(record slog.Record) string {
	words := fmt.Sprint(record.Level, record.Message, h.with)
	record.Attrs(func(a slog.Attr) bool {
		words += " " + a.String()
		return true
	})
	return words
}

func (h repeats) WithAttrs(attrs []slog.Attr) slog.Handler {
	return repeats{h.Handler.WithAttrs(attrs), h.with + fmt.Sprint(attrs), h.recent}
}

func (h repeats) WithGroup(name string) slog.Handler {
	return repeats{h.Handler.WithGroup(name), h.with + name + ".", h.recent}
}

// recentLines holds the lines of the last minute.
type recentLines struct {
	mu    sync.Mutex
	lines map[string]*once
}

type once struct {
	at   time.Time // when it was written
	left int       // how often it was left out since
}

const (
	repeatWindow = time.Minute
	maxRecent    = 256 // lines that are remembered; beyond, none is left out
)

// lately reports whether a line was written lately, so that it is left out now, or else how
// often it was left out since.
func (s *recentLines) lately(words string, now time.Time) (left int, again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := s.lines[words]
	if line != nil && now.Sub(line.at) < repeatWindow {
		line.left++
		return 0, true
	}
	if line != nil {
		left = line.left
	}
	s.remember(words, now)
	return left, false
}

func (s *recentLines) remember(words string, now time.Time) {
	if len(s.lines) >= maxRecent {
		maps.DeleteFunc(s.lines, func(_ string, l *once) bool { return now.Sub(l.at) >= repeatWindow })
	}
	if len(s.lines) < maxRecent {
		s.lines[words] = &once{at: now}
	}
}
