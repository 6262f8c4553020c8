package frame

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"frontdesk/adapters/fair"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/projections"
)

// Site is what all pages are served with. All fields except URL, TrustedProxies,
// Metrics and Seating are needed.
type Site struct {
	URL            *url.URL       // where browsers reach them; nil for any loopback host
	TrustedProxies []netip.Prefix // the proxies whose X-Forwarded-For is believed

	Signposts projections.Signposts
	Names     projections.Names
	Door      signin.Door
	Desk      commands.Desk
	// Record takes a line of the access record, and never waits.
	Record func(access.Call)
	// Head returns an idx up to which the pages show the log.
	Head func(context.Context) (int64, error)

	InFlight int              // pages made at once; further ones are answered 503
	Limit    time.Duration    // for one page
	Now      func() time.Time // the practice's clock
	RealNow  func() time.Time // the browsers' clock, by which sessions and identifiers are made
	Metrics  *Metrics         // nil measures nothing
	Seating  *fair.Metrics    // shows the seats; nil shows nothing
	Log      *slog.Logger

	seats seats
}

// of is the path under which a practice's pages are.
const of = "/{tenant:[a-z0-9][a-z0-9-]{0,62}}/staff"

// Handler routes to the pages of these routes, and sets the bounds of each visit.
func (s *Site) Handler(routes []Route) http.Handler {
	s.seats = seatsFor(s.InFlight)
	s.Seating.Seats(map[string]*fair.Shares{"forms": s.seats.forms, "pages": s.seats.pages})
	router := mux.NewRouter().SkipClean(true)
	for path, asset := range assets {
		router.HandleFunc(path, asset.serve).Methods(http.MethodGet, http.MethodHead)
	}
	for _, r := range routes {
		router.Handle(of+r.Path, s.visited(r.Name, r.serve(s)))
	}
	router.NotFoundHandler = s.visited("unknown", func(*Visit) error { return ErrNotFound })
	return s.hardened(router)
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

// Secure reports whether browsers reach the pages by https.
func (s *Site) Secure() bool { return s.URL != nil && s.URL.Scheme == "https" }

// Origin is where browsers reach the pages.
func (s *Site) Origin(v *Visit) string {
	if s.URL == nil { // on a loopback host, which the browser has named
		return "http://" + v.R.Host
	}
	return s.URL.Scheme + "://" + s.URL.Host
}

// Confirmed reports whether whoever is signed in has proved who they are lately enough
// for an act that asks for it (D66).
func (s *Site) Confirmed(v *Visit) bool {
	return v.SignedIn && s.RealNow().Before(v.Session.ConfirmedAt.Add(signin.ConfirmFor))
}

// ConfirmFirst sends the browser to prove who is there. It comes back to a page of ours,
// with what an application has asked for.
func (s *Site) ConfirmFirst(v *Visit, then string) error {
	query := url.Values{"then": {then}}
	if v.Ask.Made {
		query.Set("app", v.Ask.App)
		query.Set("redirect", v.Ask.Redirect)
	}
	return v.GoTo(v.Base() + "/confirm?" + query.Encode())
}
