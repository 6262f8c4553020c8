package term

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"
)

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
