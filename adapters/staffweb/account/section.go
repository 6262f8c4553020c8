package account

import (
	"embed"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/history"
)

// Section is the pages about a member's own account.
type Section struct {
	*pagekit.Site
	People  projections.People
	History history.Accounts
	Own     history.Own
}

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "sign_in", "second", "confirm", "link", "account", "password", "passkeys", "record")

// Routes are the paths of the section.
func (s *Section) Routes() []pagekit.Route {
	return []pagekit.Route{
		pagekit.NewRoute("/sign-in", "sign-in", pagekit.Methods{http.MethodGet: pagekit.Public(s.signInForm), http.MethodPost: pagekit.Public(s.signIn)}.WithCarried()),
		pagekit.NewRoute("/sign-in/passkey", "sign-in-passkey", pagekit.Methods{http.MethodPost: pagekit.Public(s.signInByPasskey)}.WithCarried()),
		pagekit.NewRoute("/sign-in/second", "second-step", pagekit.Methods{http.MethodGet: pagekit.Public(s.secondForm), http.MethodPost: pagekit.Public(s.secondStep)}.WithCarried()),
		pagekit.NewRoute("/challenge", "challenge", pagekit.Methods{http.MethodPost: pagekit.Public(s.challenge)}),
		pagekit.NewRoute("/confirm", "confirm", pagekit.FormMethods(staff.ManageOwnAccount, s.confirmForm, s.confirm).WithCarried().WithoutPasskey()),
		pagekit.NewRoute("/session", "session", pagekit.Methods{http.MethodGet: pagekit.Public(s.session), http.MethodPost: pagekit.Public(s.staySignedIn)}),
		pagekit.NewRoute("/sign-out", "sign-out", pagekit.Methods{http.MethodPost: pagekit.Public(s.signOut)}),
		pagekit.NewRoute("/link/{secret}", "link", pagekit.Methods{http.MethodGet: pagekit.Public(s.openLink)}),
		pagekit.NewRoute("/link", "link", pagekit.Methods{http.MethodGet: pagekit.Public(s.linkForm), http.MethodPost: pagekit.Public(s.acceptLink)}),
		pagekit.NewRoute("/account", "account", pagekit.Methods{http.MethodGet: pagekit.Requires(staff.ManageOwnAccount, s.account)}),
		pagekit.NewRoute("/account/password", "password", pagekit.FormMethods(staff.ManageOwnAccount, s.passwordForm, s.changePassword)),
		pagekit.NewRoute(pagekit.AddPasskey, "passkeys", pagekit.FormMethods(staff.ManageOwnAccount, s.passkeys, s.changePasskeys).WithoutPasskey()),
		pagekit.NewRoute("/account/reset", "own-reset", pagekit.Methods{http.MethodPost: pagekit.Requires(staff.ManageOwnAccount, s.stopReset)}),
		pagekit.NewRoute("/account/record", "own-record", pagekit.Methods{http.MethodGet: pagekit.Requires(staff.ManageOwnAccount, s.record)}),
		pagekit.NewRoute("/account/shortcuts", "shortcuts", pagekit.Methods{http.MethodPost: pagekit.Requires(staff.ManageOwnAccount, s.setShortcuts)}),
		pagekit.NewRoute("/account/sessions", "sessions", pagekit.Methods{http.MethodPost: pagekit.Requires(staff.ManageOwnAccount, s.endSessions)}),
	}
}

// LinkPath is the path of a member's invitation or reset link.
func LinkPath(tenant, secret string) string { return "/" + tenant + "/staff/link/" + secret }

var (
	errLink = pagekit.NewErrorPage(http.StatusNotFound, "This link cannot be used",
		"It has been used, has ended or is not complete.", "Ask your manager for a new one.")
	errOtherLink = pagekit.NewErrorPage(http.StatusForbidden, "This page is out of date",
		"Nothing has been changed. Another link has been opened in this browser since you opened the page.", "Open your own link again.")
	errNoPasskeysHere = pagekit.NewErrorPage(http.StatusBadRequest, "Passkeys cannot be used at this address",
		"Passkeys only work at your practice’s usual web address.", "Open these pages at the address that your practice uses.")
)
