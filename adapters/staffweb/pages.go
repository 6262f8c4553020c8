package staffweb

import (
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/gorilla/mux"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/projections"
)

// Pages serves the staff pages. All fields but URL, TrustedProxies and Metrics
// are needed.
type Pages struct {
	URL            *url.URL       // where browsers reach them; nil on any loopback host (D36)
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed (D27)

	Signposts projections.Signposts
	Approvals projections.Approvals
	Given     projections.GivenAuthorisations
	Desk      signin.Desk
	Commands  commands.Desk

	Fault    func(error) error // tells what the database means by an error
	InFlight int               // pages served at once; more are answered 503
	Limit    time.Duration     // for one page
	Now      func() time.Time
	Metrics  *Metrics // nil measures nothing
	Log      *slog.Logger
}

// page answers one visit. Its error is answered by an apology.
type page func(*visit) error

// of is the pages of a practice, below this path.
const of = "/{tenant:[a-z0-9][a-z0-9-]{0,62}}/staff"

// Handler is the pages, routed.
func (p *Pages) Handler() http.Handler {
	router := mux.NewRouter().SkipClean(true)
	for path, asset := range assets {
		router.HandleFunc(path, asset.serve).Methods(http.MethodGet, http.MethodHead)
	}
	p.route(router, of, "home", methods{http.MethodGet: p.home})
	p.route(router, of+"/", "home", methods{http.MethodGet: p.home})
	p.route(router, of+"/sign-in", "sign-in", methods{http.MethodGet: p.signInForm, http.MethodPost: p.halfOf(p.signIn)})
	p.route(router, of+"/sign-out", "sign-out", methods{http.MethodPost: p.signOut})
	p.route(router, of+"/authorise", "authorise", methods{http.MethodGet: p.authoriseForm, http.MethodPost: p.authorise})
	p.route(router, of+"/authorisations", "authorisations", methods{http.MethodGet: p.authorisations, http.MethodPost: p.revoke})
	router.NotFoundHandler = p.visited("unknown", func(*visit) error { return errNotFound })
	return p.hardened(p.limited(router))
}

type methods map[string]page

// route serves one path of every practice.
func (p *Pages) route(router *mux.Router, path, name string, by methods) {
	router.Handle(path, p.visited(name, func(v *visit) error {
		method := v.r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		answer, ok := by[method]
		if !ok {
			return notAllowed(v, by)
		}
		if err := p.enter(v); err != nil {
			return err
		}
		return answer(v)
	}))
}

// home is where staff begin who were sent by nobody.
func (p *Pages) home(v *visit) error { return v.goTo(v.base() + "/authorisations") }
