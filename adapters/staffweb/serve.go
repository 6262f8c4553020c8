package staffweb

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/fair"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// visited makes a page, apologises for its error, and writes its line of the log,
// which holds no address, no form field and no name. A page is written once it is
// whole and its seat is given back, so that a client who reads slowly holds nothing.
func (p *Pages) visited(name string, answer page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), p.Limit)
		defer cancel()
		start := p.Now()
		v := &visit{w: w, r: r.WithContext(ctx), id: event.NewID().String(), source: fair.Source(r, p.TrustedProxies), status: http.StatusOK}
		w.Header().Set("X-Request-Id", v.id)
		v.bodyWithin(formTime)
		p.answer(v, answer)
		p.Metrics.shown(name, strconv.Itoa(v.status), p.Now().Sub(start))
		p.Log.InfoContext(v.ctx(), "page", slog.String("request_id", v.id), slog.String("method", r.Method),
			slog.String("page", name), slog.Int("status", v.status), slog.String("by", v.by()))
		w.WriteHeader(v.status)
		_, _ = v.body.WriteTo(w) // the only error is a browser that has gone away
	})
}

func (p *Pages) answer(v *visit, by page) {
	defer v.leave()
	if err := by(v); err != nil {
		p.apologise(v, err)
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
		h.Set("Referrer-Policy", referrer(r.URL.Path))
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", passkeysForbidden)
		h.Set("Cache-Control", "no-store")
		if p.secure() {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if p.otherScheme(r) {
			foreign.ServeHTTP(w, r)
			return
		}
		forms.ServeHTTP(w, r)
	})
}

// referrer says to whom browsers tell the address of a page. That of a link they tell
// nobody, whatever is answered there: our own proxies would write it down. Elsewhere that
// would also hide the Origin of our own forms.
func referrer(path string) string {
	if strings.Contains(path, "/link/") {
		return "no-referrer"
	}
	return "same-origin"
}

// What browsers may do for a page. A passkey is asked for by a page of passkeys alone.
const (
	permissions       = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
	passkeysForbidden = permissions + ", publickey-credentials-create=(), publickey-credentials-get=()"
	passkeysAllowed   = permissions + ", publickey-credentials-create=(self), publickey-credentials-get=(self)"
)

// scripted is what the policy of a page says besides if a script of ours asks for
// passkeys there.
const scripted = "; script-src 'self'; connect-src 'self'"

// otherScheme reports whether a form was sent from a page of the same host that was
// not reached as ours are. The standard library compares the host alone (D27). Where
// browsers send Sec-Fetch-Site, that has been judged by the browser.
func (p *Pages) otherScheme(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return p.URL != nil && r.Method == http.MethodPost && r.Header.Get("Sec-Fetch-Site") == "" &&
		origin != "" && !strings.HasPrefix(origin, p.URL.Scheme+"://")
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
			Help: "Tries of staff to sign in: signed-in, passkey-asked after the right password, refused, locked when a wait follows or was not over, or busy when no password was looked at.",
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
