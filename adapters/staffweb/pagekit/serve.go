package pagekit

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"

	"frontdesk/adapters/fair"
	"frontdesk/domain/event"
)

// visited makes a page, apologises for its error, and logs it. A page is written when
// it is complete and its permit is released, so that a slow reader holds nothing.
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
		s.logVisit(v, name)
		if v.write != nil {
			v.write(w)
			return
		}
		w.WriteHeader(v.status)
		_, _ = v.body.WriteTo(w) // the only error is that the browser has disconnected
	})
}

// logVisit logs the page, without address, form fields and names. The practice of a stranger
// is unchecked input.
func (s *Site) logVisit(v *Visit, page string) {
	line := []slog.Attr{
		slog.String("request_id", v.ID), slog.String("method", v.R.Method), slog.String("page", page), slog.Int("status", v.status), slog.String("by", v.by()),
	}
	if v.by() != "" {
		line = append(line, slog.String("tenant", v.Tenant))
	}
	s.Log.LogAttrs(v.Context(), slog.LevelInfo, "page", line...)
}

func (s *Site) answer(v *Visit, by Page) {
	defer v.Leave()
	if err := by(v); err != nil {
		s.apologise(v, err)
	}
}

// seats limits concurrent work, and the share of one source.
type seats struct {
	forms *fair.Shares // being read
	pages *fair.Shares // querying the database
}

func seatsFor(pages int) seats {
	return seats{forms: fair.NewShares(4 * pages), pages: fair.NewShares(pages)}
}
