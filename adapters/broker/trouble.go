package broker

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// trouble tells the program's log what stands in the way: not what has passed by itself at
// once, and each thing once an hour.
type trouble struct {
	log *slog.Logger

	mu    sync.Mutex
	since time.Time // zero while nothing stands in the way
	told  bool      // since then
	said  map[string]time.Time
	heard error // what the library said last, without being asked
}

const (
	patience = time.Second
	sayAgain = time.Hour
)

// hear notes what the server has refused, such as a subject that is not permitted.
func (t *trouble) hear(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard = err
}

// say says what stands in the way.
func (t *trouble) say(ctx context.Context, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.since.IsZero() {
		t.since = now
	}
	if now.Sub(t.since) < patience || !t.news(err, now) {
		return
	}
	t.told = true
	attrs := []slog.Attr{slog.Any("error", err)}
	if t.heard != nil {
		attrs = append(attrs, slog.String("broker", t.heard.Error()))
	}
	t.log.LogAttrs(ctx, slog.LevelWarn, "the log is not relayed to the broker; it is tried again", attrs...)
}

// news reports whether something was not said for an hour, whatever the numbers in it are.
func (t *trouble) news(err error, now time.Time) bool {
	thing := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, err.Error())
	if at, said := t.said[thing]; said && now.Sub(at) < sayAgain {
		return false
	}
	if t.said == nil || len(t.said) > 100 {
		t.said = map[string]time.Time{}
	}
	t.said[thing] = now
	return true
}

// over notes that nothing stands in the way any more.
func (t *trouble) over(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.told {
		t.log.InfoContext(ctx, "the log is relayed to the broker again", slog.Duration("after", time.Since(t.since)))
	}
	t.since, t.told, t.heard = time.Time{}, false, nil
}
