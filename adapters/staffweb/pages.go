package staffweb

import (
	"embed"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/adapters/staffweb/live"
	"frontdesk/adapters/staffweb/patients"
	"frontdesk/adapters/staffweb/privacy"
	"frontdesk/adapters/staffweb/requests"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Pages serves the staff pages. All fields are needed.
type Pages struct {
	*frame.Site
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

var templates = frame.Templates(sources, "sign_in", "second", "confirm", "passkeys", "authorise", "authorisations",
	"account", "password", "link", "people", "person", "invite", "handed")

//go:embed templates
var sources embed.FS

// Handler routes to the pages and sets the limits of each visit.
func (p *Pages) Handler() http.Handler { return p.Site.Handler(p.routes()) }

// routes are all of them.
func (p *Pages) routes() []frame.Route { return append(p.own(), p.sections()...) }

// own are the pages of this package.
func (p *Pages) own() []frame.Route {
	return []frame.Route{
		frame.At("", "home", frame.Methods{http.MethodGet: frame.Anybody(p.home)}),
		frame.At("/", "home", frame.Methods{http.MethodGet: frame.Anybody(p.home)}),
		frame.At("/sign-in", "sign-in", frame.Methods{http.MethodGet: frame.Anybody(p.signInForm), http.MethodPost: frame.Anybody(p.signIn)}),
		frame.At("/sign-in/passkey", "sign-in-passkey", frame.Methods{http.MethodPost: frame.Anybody(p.signInByPasskey)}),
		frame.At("/sign-in/second", "second-step", frame.Methods{http.MethodGet: frame.Anybody(p.secondForm), http.MethodPost: frame.Anybody(p.second)}),
		frame.At("/challenge", "challenge", frame.Methods{http.MethodPost: frame.Anybody(p.challenge)}),
		frame.At("/confirm", "confirm", frame.Both(staff.ManageOwnAccount, p.confirmForm, p.confirm)),
		frame.At("/sign-out", "sign-out", frame.Methods{http.MethodPost: frame.Anybody(p.signOut)}),
		frame.At("/link/{secret}", "link", frame.Methods{http.MethodGet: frame.Anybody(p.openLink)}),
		frame.At("/link", "link", frame.Methods{http.MethodGet: frame.Anybody(p.linkForm), http.MethodPost: frame.Anybody(p.acceptLink)}),
		frame.At("/authorise", "authorise", frame.Both(staff.GiveOwnAuthorisations, p.authoriseForm, p.authorise)),
		frame.At("/authorisations", "authorisations", frame.Both(staff.GiveOwnAuthorisations, p.authorisations, p.revoke)),
		frame.At("/account", "account", frame.Methods{http.MethodGet: frame.WhoMay(staff.ManageOwnAccount, p.account)}),
		frame.At("/account/password", "password", frame.Both(staff.ManageOwnAccount, p.passwordForm, p.changePassword)),
		frame.At("/account/passkeys", "passkeys", frame.Both(staff.ManageOwnAccount, p.passkeys, p.changePasskeys)),
		frame.At("/account/sessions", "sessions", frame.Methods{http.MethodPost: frame.WhoMay(staff.ManageOwnAccount, p.endSessions)}),
		frame.At("/people", "people", frame.Both(staff.ManagePeople, p.people, p.changePeople)),
	}
}

// home redirects to the first page that the member's roles allow.
func (p *Pages) home(v *frame.Visit) error {
	if !v.SignedIn {
		return v.SignInFirst()
	}
	return v.GoTo(v.Base() + frame.Home(v.Session.Roles))
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
