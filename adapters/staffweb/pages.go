package staffweb

import (
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/projections"
)

// Pages serves the staff pages. All fields except URL, TrustedProxies and
// Metrics are needed.
type Pages struct {
	URL            *url.URL       // where browsers reach them; nil for any loopback host
	TrustedProxies []netip.Prefix // the proxies whose X-Forwarded-For is believed

	Signposts projections.Signposts
	Approvals projections.Approvals
	Given     projections.GivenAuthorisations
	People    projections.People
	SignIns   projections.SignIns
	Door      signin.Door
	Desk      commands.Desk

	InFlight int           // pages made at once; further ones are answered 503
	Limit    time.Duration // for one page
	Now      func() time.Time
	Metrics  *Metrics // nil measures nothing
	Log      *slog.Logger

	seats seats
}

// of is the path under which a practice's pages are.
const of = "/{tenant:[a-z0-9][a-z0-9-]{0,62}}/staff"

// Handler routes to the pages and sets the bounds of each visit.
func (p *Pages) Handler() http.Handler {
	p.seats = seatsFor(p.InFlight)
	router := mux.NewRouter().SkipClean(true)
	for path, asset := range assets {
		router.HandleFunc(path, asset.serve).Methods(http.MethodGet, http.MethodHead)
	}
	for _, r := range p.routes() {
		router.Handle(of+r.path, p.visited(r.name, r.serve(p)))
	}
	router.NotFoundHandler = p.visited("unknown", func(*visit) error { return errNotFound })
	return p.hardened(router)
}

// home sends staff to their authorisations if no application has sent them.
func (p *Pages) home(v *visit) error { return v.goTo(v.base() + "/authorisations") }

// ErrURL refuses an address at which browsers could not reach the pages.
var ErrURL = errors.New("the address of the staff pages must be https://HOST or, on loopback, http://HOST:PORT, with nothing after it")

// ParseURL reads the address at which browsers reach the pages, or returns
// [ErrURL].
func ParseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && u.Scheme != "http" {
		return nil, ErrURL
	}
	return u, nil
}

// LinkPath is where a member of staff opens the link that they were given.
func LinkPath(tenant, secret string) string { return "/" + tenant + "/staff/link/" + secret }

// Serves reports whether a request is for the pages rather than for the API,
// which shares their listener (D36).
func (p *Pages) Serves(r *http.Request) bool {
	host := (&url.URL{Host: r.Host}).Hostname()
	if p.URL != nil {
		return strings.EqualFold(host, p.URL.Hostname())
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	ours := first == "staff" || rest == "staff" || strings.HasPrefix(rest, "staff/")
	return ours && application.IsLoopback(strings.ToLower(host))
}

// secure reports whether browsers reach the pages by https.
func (p *Pages) secure() bool { return p.URL != nil && p.URL.Scheme == "https" }
