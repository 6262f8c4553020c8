package client

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// answer refuses a webhook by HTTP. The body is the reason, in one word.
func (e *WebhookError) answer(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(e.Status())
	_, _ = io.WriteString(w, string(e.Reason)) // the sender may have gone
}

// Status is that of the answer that refuses the webhook. Its body is the [Reason].
func (e *WebhookError) Status() int {
	switch e.Reason {
	case Replayed:
		return http.StatusConflict
	case KeysUnreachable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusBadRequest
	}
}

// warnings logs refusals, for each reason once a minute: anyone can send webhooks that are refused.
type warnings struct {
	now func() time.Time

	mu   sync.Mutex
	last map[Reason]warned
}

// warned is when a reason was last logged, and how many refusals it had since then.
type warned struct {
	at    time.Time
	since int
}

const warnAgainAfter = time.Minute

func (w *warnings) warn(why *WebhookError) {
	since, due := w.due(why.Reason)
	if !due {
		return
	}
	// Only the beginning of the text, because a stranger may have written it.
	slog.Default().Warn("A webhook is refused", slog.String("reason", string(why.Reason)),
		slog.String("error", fmt.Sprintf("%.300s", why.Error())), slog.Int("unlogged", since))
}

// due reports whether a reason is logged now, and how many of its refusals were not.
func (w *warnings) due(reason Reason) (since int, due bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	last, before := w.last[reason]
	now := w.now()
	if passed := now.Sub(last.at); before && passed >= 0 && passed < warnAgainAfter { // the clock may be set back
		last.since++
		w.last[reason] = last
		return 0, false
	}
	w.last[reason] = warned{at: now}
	return last.since, true
}
