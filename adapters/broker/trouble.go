package broker

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"frontdesk/adapters/clock"
)

// trouble logs problems: not one that passes quickly, and each one once an hour.
type trouble struct {
	log *slog.Logger

	mu           sync.Mutex
	since        clock.Stopwatch // not started while the relay works
	reported     bool            // logged since then
	lastReported map[string]clock.Stopwatch
	heard        error // the last asynchronous error of the library
}

const (
	patience    = time.Second
	reportAgain = time.Hour
)

// record records an error of the server, such as a subject that is not permitted.
func (t *trouble) record(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard = err
}

// report logs a problem.
func (t *trouble) report(ctx context.Context, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.since.Started() {
		t.since = clock.Start()
	}
	if t.since.Elapsed() < patience || !t.news(err) {
		return
	}
	t.reported = true
	attrs := []slog.Attr{slog.Any("error", err)}
	if t.heard != nil {
		attrs = append(attrs, slog.String("broker", t.heard.Error()))
	}
	t.log.LogAttrs(ctx, slog.LevelWarn, "the log is not relayed to the broker; retrying", attrs...)
}

// news reports whether a problem was not logged for an hour, ignoring its numbers.
func (t *trouble) news(err error) bool {
	thing := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, err.Error())
	if t.lastReported[thing].Elapsed() < reportAgain { // a stopwatch that was not started has run for ever
		return false
	}
	if t.lastReported == nil || len(t.lastReported) > 100 {
		t.lastReported = map[string]clock.Stopwatch{}
	}
	t.lastReported[thing] = clock.Start()
	return true
}

// passed records that the problem has passed.
func (t *trouble) passed(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reported {
		t.log.InfoContext(ctx, "the log is relayed to the broker again", slog.Duration("after", t.since.Elapsed()))
	}
	t.since, t.reported, t.heard = clock.Stopwatch{}, false, nil
}
