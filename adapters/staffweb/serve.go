package staffweb

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"

	"frontdesk/domain/event"
)

// visited serves a page, answers its error, and writes its line into the log:
// no address, no form, no name.
func (p *Pages) visited(name string, answer page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, seen := p.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}
		v := &visit{w: seen, r: r, id: event.NewID().String()}
		seen.Header().Set("X-Request-Id", v.id)
		if err := answer(v); err != nil {
			p.apologise(v, err)
		}
		p.Metrics.shown(name, strconv.Itoa(seen.status), p.Now().Sub(start))
		p.Log.InfoContext(r.Context(), "page", slog.String("request_id", v.id), slog.String("method", r.Method),
			slog.String("page", name), slog.Int("status", seen.status), slog.String("by", v.by()))
	})
}

// by is the opaque id of whoever is signed in.
func (v *visit) by() string {
	if !v.signedIn {
		return ""
	}
	return v.session.Staff.String()
}

// limited bounds the pages in flight, and the time of each.
func (p *Pages) limited(next http.Handler) http.Handler {
	slots := make(chan struct{}, p.InFlight)
	busy := p.visited("busy", func(*visit) error { return errBusy })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			busy.ServeHTTP(w, r)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), p.Limit)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// halfOf leaves half of the slots to other pages, for this one waits until
// there is room to hash: a flood of wrong passwords keeps nobody from working
// who is signed in.
func (p *Pages) halfOf(answer page) page {
	slots := make(chan struct{}, max(1, p.InFlight/2))
	return func(v *visit) error {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
			return answer(v)
		default:
			return errBusy
		}
	}
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets [http.ResponseController] through.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
