package frame

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"

	"frontdesk/adapters/fair"
	"frontdesk/domain/event"
)

// visited makes a page, apologises for its error, and writes its line of the log,
// which holds no address, no form field and no name. A page is written once it is
// whole and its seat is given back, so that a client who reads slowly holds nothing.
func (s *Site) visited(name string, answer Page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.Limit)
		defer cancel()
		start := s.RealNow()
		v := &Visit{there: r.Context(), w: w, R: r.WithContext(ctx), ID: event.NewID().String(), Source: fair.Source(r, s.TrustedProxies), status: http.StatusOK}
		w.Header().Set("X-Request-Id", v.ID)
		v.bodyWithin(formTime)
		s.answer(v, answer)
		s.Metrics.shown(name, strconv.Itoa(v.status), s.RealNow().Sub(start))
		s.Log.InfoContext(v.Context(), "page", slog.String("request_id", v.ID), slog.String("method", r.Method),
			slog.String("page", name), slog.Int("status", v.status), slog.String("by", v.by()))
		if v.write != nil {
			v.write(w)
			return
		}
		w.WriteHeader(v.status)
		_, _ = v.body.WriteTo(w) // the only error is a browser that has gone away
	})
}

func (s *Site) answer(v *Visit, by Page) {
	defer v.Leave()
	if err := by(v); err != nil {
		s.apologise(v, err)
	}
}

// seats bounds what goes on at once, and how much of it may be one source's.
type seats struct {
	forms *fair.Shares // being read
	pages *fair.Shares // asking the database
}

func seatsFor(pages int) seats {
	return seats{forms: fair.NewShares(4 * pages), pages: fair.NewShares(pages)}
}
