package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"frontdesk/domain/application"
)

// Lines says which calls have a line in the log.
type Lines string

// The zero value of [Lines] is AllLines.
const (
	AllLines     Lines = "all"
	RefusedLines Lines = "refused" // of calls that were answered with an error
	NoLines      Lines = "none"
)

// strangersLines is how many lines a second are about calls of which nobody is known to be
// the caller. Anybody can make such calls, and the log must not become as long as they like.
// The metrics count all of them.
const strangersLines = 50

// of reports whether a call with this answer has a line.
func (l Lines) of(status int) bool {
	return l != NoLines && (l != RefusedLines || status >= http.StatusBadRequest)
}

// say writes the line of a call, which holds no query, no header and no body. Who called
// is added by whoever has set up the log ([CallerOf]).
func (a *API) say(r *http.Request, endpoint application.EndpointName, status int, took time.Duration) {
	c := callOf(r.Context())
	if !a.Lines.of(status) || c.by.Load() == nil && a.strangers.Spend(status, 1) > 0 {
		return
	}
	line := []slog.Attr{
		slog.String("method", r.Method), slog.String("endpoint", string(endpoint)), slog.Int("status", status), slog.Duration("took", took),
	}
	if code := c.line.refusal.Code; code != "" {
		line = append(line, slog.String("code", code))
	}
	a.Log.LogAttrs(r.Context(), slog.LevelInfo, "call", line...)
}

// caller is who makes a call, as the log names them.
type caller struct {
	tenant      string
	application application.ID
}

// CallerOf returns the practice and the application of the call that ctx belongs to; false
// outside a call, and as long as its signature was not found right.
func CallerOf(ctx context.Context) (tenant string, by application.ID, known bool) {
	c := callOf(ctx)
	if c == nil || c.by.Load() == nil {
		return "", application.ID{}, false
	}
	return c.by.Load().tenant, c.by.Load().application, true
}
