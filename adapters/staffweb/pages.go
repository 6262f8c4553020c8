package staffweb

import (
	"embed"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"frontdesk/adapters/staffweb/live"
	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/patients"
	"frontdesk/adapters/staffweb/privacy"
	"frontdesk/adapters/staffweb/requests"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Pages serves the staff pages. All fields are needed.
type Pages struct {
	*pagekit.Site
	Live *live.Hub

	DB    projections.Querier // for the read models
	Opens projections.Opener
	Book  *projections.Book
	// Searches stores the results of searches.
	Searches patients.Searches
	// WhyUndelivered explains a failure of a webhook in a sentence.
	WhyUndelivered func(reason string) string
	Files          requests.Files
	Privacy        privacy.Service
}

var templates = pagekit.Templates(sources, "sign_in", "second", "confirm", "passkeys", "authorise", "authorisations",
	"account", "password", "link", "people", "person", "invite", "handed")

//go:embed templates
var sources embed.FS

// Handler routes to the pages and sets the limits of each visit.
func (p *Pages) Handler() http.Handler { return p.Site.Handler(p.routes()) }

// routes are all of them.
func (p *Pages) routes() []pagekit.Route { return append(p.own(), p.sections()...) }

// own are the pages of this package.
func (p *Pages) own() []pagekit.Route {
	return []pagekit.Route{
		pagekit.At("", "home", pagekit.Methods{http.MethodGet: pagekit.Anybody(p.home)}),
		pagekit.At("/", "home", pagekit.Methods{http.MethodGet: pagekit.Anybody(p.home)}),
		pagekit.At("/sign-in", "sign-in", pagekit.Methods{http.MethodGet: pagekit.Anybody(p.signInForm), http.MethodPost: pagekit.Anybody(p.signIn)}),
		pagekit.At("/sign-in/passkey", "sign-in-passkey", pagekit.Methods{http.MethodPost: pagekit.Anybody(p.signInByPasskey)}),
		pagekit.At("/sign-in/second", "second-step", pagekit.Methods{http.MethodGet: pagekit.Anybody(p.secondForm), http.MethodPost: pagekit.Anybody(p.second)}),
		pagekit.At("/challenge", "challenge", pagekit.Methods{http.MethodPost: pagekit.Anybody(p.challenge)}),
		pagekit.At("/confirm", "confirm", pagekit.Both(staff.ManageOwnAccount, p.confirmForm, p.confirm)),
		pagekit.At("/sign-out", "sign-out", pagekit.Methods{http.MethodPost: pagekit.Anybody(p.signOut)}),
		pagekit.At("/link/{secret}", "link", pagekit.Methods{http.MethodGet: pagekit.Anybody(p.openLink)}),
		pagekit.At("/link", "link", pagekit.Methods{http.MethodGet: pagekit.Anybody(p.linkForm), http.MethodPost: pagekit.Anybody(p.acceptLink)}),
		pagekit.At("/authorise", "authorise", pagekit.Both(staff.GiveOwnAuthorisations, p.authoriseForm, p.authorise)),
		pagekit.At("/authorisations", "authorisations", pagekit.Both(staff.GiveOwnAuthorisations, p.authorisations, p.revoke)),
		pagekit.At("/account", "account", pagekit.Methods{http.MethodGet: pagekit.WhoMay(staff.ManageOwnAccount, p.account)}),
		pagekit.At("/account/password", "password", pagekit.Both(staff.ManageOwnAccount, p.passwordForm, p.changePassword)),
		pagekit.At("/account/passkeys", "passkeys", pagekit.Both(staff.ManageOwnAccount, p.passkeys, p.changePasskeys)),
		pagekit.At("/account/sessions", "sessions", pagekit.Methods{http.MethodPost: pagekit.WhoMay(staff.ManageOwnAccount, p.endSessions)}),
		pagekit.At("/people", "people", pagekit.Both(staff.ManagePeople, p.people, p.changePeople)),
	}
}

// home redirects to the first page that the member's roles allow.
func (p *Pages) home(v *pagekit.Visit) error {
	if !v.SignedIn {
		return v.SignInFirst()
	}
	return v.GoTo(v.Base() + pagekit.Home(v.Session.Roles))
}

// ErrURL refuses an address that browsers could not use for the pages.
var ErrURL = errors.New("the address of the staff pages must be https://HOST or, on loopback, http://HOST:PORT, with nothing after it")

// ParseURL parses the base address of the pages, or returns [ErrURL].
func ParseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && u.Scheme != "http" {
		return nil, ErrURL
	}
	return u, nil
}

// LinkPath is the path of a member's invitation or reset link.
func LinkPath(tenant, secret string) string { return "/" + tenant + "/staff/link/" + secret }
