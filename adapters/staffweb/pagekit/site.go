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

	Practices projections.Practices
	Names     projections.Names
	Auth      signin.Service
	Typed     Typed
	Gate      Gate // set by the section with the sign-in page
	Desk      commands.Desk
	// Record adds a line to the access record, or reports false if it is lost. It does not
	// block.
	Record func(access.Call) bool
	// Head returns an idx up to which the read models show the log.
	Head func(context.Context) (int64, error)

	HSTSSubdomains bool // browsers also use TLS for all names below that of URL

	InFlight int                // concurrent pages; beyond them 503
	Limit    time.Duration      // for one page
	Now      func() time.Time   // the practice's clock
	RealNow  func() time.Time   // the browsers' clock, for sessions and identifiers
	Metrics  *Metrics           // nil: not measured
	Seating  *admission.Metrics // nil: not measured
	Log      *slog.Logger

	permits permits
	looks   *coveredLooks
	router  *mux.Router
	routes  map[string]Route // by their paths, which are their names in the router
}

// practicePath is the path prefix of a practice's pages.
const practicePath = "/{tenant:[a-z0-9][a-z0-9-]{0,62}}/staff"

// Handler routes to the pages of these routes, and sets the limits of each request.
func (s *Site) Handler(routes []Route) http.Handler {
	s.permits, s.looks = newPermits(s.InFlight), &coveredLooks{}
	s.Seating.Semaphores(map[string]*admission.FairSemaphore{"forms": s.permits.forms, "pages": s.permits.pages})
	router := mux.NewRouter().SkipClean(true)
	s.router, s.routes = router, map[string]Route{}
	for path, asset := range assets {
		router.HandleFunc(path, asset.serve).Methods(http.MethodGet, http.MethodHead)
	}
	for _, r := range routes {
		router.Handle(practicePath+r.Path, s.handle(r.Name, r.serve(s))).Name(r.Path)
		s.routes[r.Path] = r
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
func (s *Site) Origin(r *Request) string {
	if s.URL == nil { // on a loopback host, from the request
		return "http://" + r.HTTP.Host
	}
	return s.URL.Scheme + "://" + s.URL.Host
}

// Confirmed reports whether the last reauthentication is recent enough for an action
// that needs it (D66).
func (s *Site) Confirmed(r *Request) bool {
	return r.SignedIn && s.RealNow().Before(r.Session.ConfirmedAt.Add(signin.ConfirmFor))
}

// ConfirmFirst redirects to reauthentication. The browser returns to a page of ours,
// with the application's request.
func (s *Site) ConfirmFirst(r *Request, then string) error {
	query := url.Values{"then": {then}}
	if r.Ask.Made {
		query.Set("app", r.Ask.App)
		query.Set("redirect", r.Ask.Redirect)
	}
	return r.Redirect(r.Base() + "/confirm?" + query.Encode())
}

// handle makes a page, or the page of its error, and logs it. A page is written when it is
// complete and its permit is released, so that a slow reader holds nothing.
func (s *Site) handle(name string, page Page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		ctx, cancel := context.WithTimeout(hr.Context(), s.Limit)
		defer cancel()
		start := s.RealNow()
		r := &Request{connection: hr.Context(), w: w, HTTP: hr.WithContext(ctx), ID: event.NewID().String(), Source: httpx.ClientAddress(hr, s.TrustedProxies), status: http.StatusOK}
		w.Header().Set("X-Request-Id", r.ID)
		r.bodyWithin(formTime)
		s.run(r, page)
		s.Metrics.observe(name, strconv.Itoa(r.status), s.RealNow().Sub(start))
		s.logRequest(r, name)
		if r.write != nil {
			r.write(w)
			return
		}
		w.WriteHeader(r.status)
		_, _ = r.body.WriteTo(w) // the only error is that the browser has disconnected
	})
}

// logRequest logs the page, without address, form fields and names. Without a session, the
// practice is unchecked input and is left out.
func (s *Site) logRequest(r *Request, page string) {
	line := []slog.Attr{
		slog.String("request_id", r.ID), slog.String("method", r.HTTP.Method), slog.String("page", page), slog.Int("status", r.status), slog.String("by", r.actorID()),
	}
	if r.actorID() != "" {
		line = append(line, slog.String("tenant", r.Tenant))
	}
	level := slog.LevelInfo
	if r.quiet {
		level = slog.LevelDebug
	}
	s.Log.LogAttrs(r.Context(), level, "page", line...)
}

func (s *Site) run(r *Request, page Page) {
	defer r.Release()
	if err := page(r); err != nil {
		s.showError(r, err)
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
