package pagekit

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/httpx"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Site has the dependencies of all pages. All fields except URL, TrustedProxies,
// Metrics and Seating are needed.
type Site struct {
	URL            *url.URL       // the base address; nil for any loopback host
	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For is trusted

	Signposts projections.Signposts
	Names     projections.Names
	Auth      signin.Service
	Desk      commands.Desk
	// Record adds a line to the access record. It does not block.
	Record func(access.Call)
	// Head returns an idx up to which the read models show the log.
	Head func(context.Context) (int64, error)

	InFlight int                // concurrent pages; beyond them 503
	Limit    time.Duration      // for one page
	Now      func() time.Time   // the practice's clock
	RealNow  func() time.Time   // the browsers' clock, for sessions and identifiers
	Metrics  *Metrics           // nil: not measured
	Seating  *admission.Metrics // nil: not measured
	Log      *slog.Logger

	permits permits
}

// practicePath is the path prefix of a practice's pages.
const practicePath = "/{tenant:[a-z0-9][a-z0-9-]{0,62}}/staff"

// Handler routes to the pages of these routes, and sets the limits of each visit.
func (s *Site) Handler(routes []Route) http.Handler {
	s.permits = newPermits(s.InFlight)
	s.Seating.Semaphores(map[string]*admission.FairSemaphore{"forms": s.permits.forms, "pages": s.permits.pages})
	router := mux.NewRouter().SkipClean(true)
	for path, asset := range assets {
		router.HandleFunc(path, asset.serve).Methods(http.MethodGet, http.MethodHead)
	}
	for _, r := range routes {
		router.Handle(practicePath+r.Path, s.handle(r.Name, r.serve(s)))
	}
	router.NotFoundHandler = s.handle("unknown", func(*Request) error { return ErrNotFound })
	return s.withSecurityHeaders(router)
}

// Serves reports whether a request is for the pages rather than for the API,
// which shares their listener (D36).
func (s *Site) Serves(r *http.Request) bool {
	host := (&url.URL{Host: r.Host}).Hostname()
	if s.URL != nil {
		return strings.EqualFold(host, s.URL.Hostname())
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	ours := first == "staff" || rest == "staff" || strings.HasPrefix(rest, "staff/")
	return ours && application.IsLoopback(strings.ToLower(host))
}

// Secure reports whether the pages are served over https.
func (s *Site) Secure() bool { return s.URL != nil && s.URL.Scheme == "https" }

// Origin is the pages' origin.
func (s *Site) Origin(v *Request) string {
	if s.URL == nil { // on a loopback host, from the request
		return "http://" + v.HTTP.Host
	}
	return s.URL.Scheme + "://" + s.URL.Host
}

// Confirmed reports whether the last reauthentication is recent enough for an action
// that needs it (D66).
func (s *Site) Confirmed(v *Request) bool {
	return v.SignedIn && s.RealNow().Before(v.Session.ConfirmedAt.Add(signin.ConfirmFor))
}

// ConfirmFirst redirects to reauthentication. The browser returns to a page of ours,
// with the application's request.
func (s *Site) ConfirmFirst(v *Request, then string) error {
	query := url.Values{"then": {then}}
	if v.Ask.Made {
		query.Set("app", v.Ask.App)
		query.Set("redirect", v.Ask.Redirect)
	}
	return v.Redirect(v.Base() + "/confirm?" + query.Encode())
}

// handle makes a page, apologises for its error, and logs it. A page is written when
// it is complete and its permit is released, so that a slow reader holds nothing.
func (s *Site) handle(name string, answer Page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.Limit)
		defer cancel()
		start := s.RealNow()
		v := &Request{connection: r.Context(), w: w, HTTP: r.WithContext(ctx), ID: event.NewID().String(), Source: httpx.ClientAddress(r, s.TrustedProxies), status: http.StatusOK}
		w.Header().Set("X-Request-Id", v.ID)
		v.bodyWithin(formTime)
		s.run(v, answer)
		s.Metrics.observe(name, strconv.Itoa(v.status), s.RealNow().Sub(start))
		s.logRequest(v, name)
		if v.write != nil {
			v.write(w)
			return
		}
		w.WriteHeader(v.status)
		_, _ = v.body.WriteTo(w) // the only error is that the browser has disconnected
	})
}

// logRequest logs the page, without address, form fields and names. The practice of a stranger
// is unchecked input.
func (s *Site) logRequest(v *Request, page string) {
	line := []slog.Attr{
		slog.String("request_id", v.ID), slog.String("method", v.HTTP.Method), slog.String("page", page), slog.Int("status", v.status), slog.String("by", v.actorID()),
	}
	if v.actorID() != "" {
		line = append(line, slog.String("tenant", v.Tenant))
	}
	s.Log.LogAttrs(v.Context(), slog.LevelInfo, "page", line...)
}

func (s *Site) run(v *Request, by Page) {
	defer v.Release()
	if err := by(v); err != nil {
		s.showError(v, err)
	}
}

// permits limits concurrent work, and the share of one source.
type permits struct {
	forms *admission.FairSemaphore // being read
	pages *admission.FairSemaphore // querying the database
}

func newPermits(pages int) permits {
	return permits{forms: admission.NewFairSemaphore(4 * pages), pages: admission.NewFairSemaphore(pages)}
}

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

func (m *Metrics) observe(page, status string, took time.Duration) {
	if m != nil {
		m.duration.WithLabelValues(page, status).Observe(took.Seconds())
	}
}

// SignedIn counts an attempt to sign in, by its outcome.
func (m *Metrics) SignedIn(outcome string) {
	if m != nil {
		m.signIns.WithLabelValues(outcome).Inc()
	}
}
