package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"frontdesk/domain/application"
)

// Lines selects the calls that are logged.
type Lines string

// The zero value of [Lines] is AllLines.
const (
	AllLines     Lines = "all"
	RefusedLines Lines = "refused" // of calls answered with an error
	NoLines      Lines = "none"
)

// strangersLines is the number of log lines a second about calls without a proven
// caller. Anyone can make such calls, and must not be able to fill the log. The metrics
// count all of them.
const strangersLines = 50

// includes reports whether a call with this status is logged.
func (l Lines) includes(status int) bool {
	return l != NoLines && (l != RefusedLines || status >= http.StatusBadRequest)
}

// logCall logs a call, without query, headers and body. The log handler adds the caller
// ([CallerOf]).
func (a *API) logCall(r *http.Request, endpoint application.EndpointName, status int, took time.Duration) {
	c := callOf(r.Context())
	if !a.Lines.includes(status) || c.by.Load() == nil && a.strangers.Spend(status, 1) > 0 {
		return
	}
	line := []slog.Attr{
		slog.String("method", r.Method), slog.String("endpoint", string(endpoint)), slog.Int("status", status), slog.Duration("took", took),
	}
	if code := c.line.code(); code != "" {
		line = append(line, slog.String("code", code))
	}
	a.Log.LogAttrs(r.Context(), slog.LevelInfo, "call", line...)
}

// caller is the caller of a call for the log.
type caller struct {
	tenant      string
	application application.ID
}

// CallerOf returns the practice and the application of the call that ctx belongs to;
// false outside a call, and until its signature is verified.
func CallerOf(ctx context.Context) (tenant string, by application.ID, known bool) {
	c := callOf(ctx)
	if c == nil || c.by.Load() == nil {
		return "", application.ID{}, false
	}
	return c.by.Load().tenant, c.by.Load().application, true
}
