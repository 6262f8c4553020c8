package staffweb

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// visited serves a page, apologises for its error, measures it and writes its
// line of the log, which holds no address, no form field and no name.
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

// limited bounds the number of pages in flight and the time of each.
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

// halfOf bounds a page to half of the slots, because it may wait for its turn
// to hash. A flood of wrong passwords then never stops the pages of staff who
// are signed in.
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

// hardened tells browsers on every answer what they must not do with it, and
// accepts forms from this site only (D27).
func (p *Pages) hardened(next http.Handler) http.Handler {
	foreign := p.visited("foreign", func(*visit) error { return errForeign })
	same := http.NewCrossOriginProtection()
	same.SetDenyHandler(foreign)
	if p.URL != nil { // behind a proxy, the Host may differ from the one that browsers know
		_ = same.AddTrustedOrigin(p.URL.Scheme + "://" + p.URL.Host) // ParseURL has checked it
	}
	forms := same.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy(""))
		h.Set("X-Frame-Options", "DENY")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // no-referrer would also hide the Origin of our own forms
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		h.Set("Cache-Control", "no-store")
		if p.secure() {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		forms.ServeHTTP(w, r)
	})
}

// policy is the Content-Security-Policy of a page: no script, no frame around
// it, and forms that lead here only. A redirect that answers a form may lead to
// one further source ("" for none).
func policy(further string) string {
	const strict = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
	if further == "" {
		return strict
	}
	return strict + " " + further
}

// formSource is the callback as a source of a policy: its origin or, if a
// policy cannot name the origin, its scheme.
func formSource(way application.WayBack) string {
	if host := way.Host(); hostSource.MatchString(host) {
		return way.Scheme() + "://" + host
	}
	return way.Scheme() + ":"
}

// hostSource matches a host that a policy can name. It cannot name an IPv6 address,
// for example.
var hostSource = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]+)?$`)

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader remembers the status and passes it on.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap returns the writer that [http.ResponseController] reaches.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Metrics counts pages and attempts to sign in. A nil Metrics counts nothing.
type Metrics struct {
	duration *prometheus.HistogramVec
	signIns  *prometheus.CounterVec
}

// NewMetrics registers the metrics of the pages.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "frontdesk_page_seconds",
			Help:    "Staff pages, from the request to the answer.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 14),
		}, []string{"page", "status"}),
		signIns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "frontdesk_sign_ins_total",
			Help: "Tries of staff to sign in: signed-in, refused, or locked when a wait follows or was not over.",
		}, []string{"outcome"}),
	}
	registry.MustRegister(m.duration, m.signIns)
	return m
}

func (m *Metrics) shown(page, status string, took time.Duration) {
	if m != nil {
		m.duration.WithLabelValues(page, status).Observe(took.Seconds())
	}
}

func (m *Metrics) signedIn(outcome string) {
	if m != nil {
		m.signIns.WithLabelValues(outcome).Inc()
	}
}
