package account

import (
	"embed"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/staff"
)

// Section is the pages about a member's own account.
type Section struct{ *pagekit.Site }

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "sign_in", "second", "confirm", "link", "account", "password", "passkeys")

// Routes are the paths of the section.
func (s *Section) Routes() []pagekit.Route {
	return []pagekit.Route{
		pagekit.At("/sign-in", "sign-in", pagekit.Methods{http.MethodGet: pagekit.Anybody(s.signInForm), http.MethodPost: pagekit.Anybody(s.signIn)}),
		pagekit.At("/sign-in/passkey", "sign-in-passkey", pagekit.Methods{http.MethodPost: pagekit.Anybody(s.signInByPasskey)}),
		pagekit.At("/sign-in/second", "second-step", pagekit.Methods{http.MethodGet: pagekit.Anybody(s.secondForm), http.MethodPost: pagekit.Anybody(s.second)}),
		pagekit.At("/challenge", "challenge", pagekit.Methods{http.MethodPost: pagekit.Anybody(s.challenge)}),
		pagekit.At("/confirm", "confirm", pagekit.Both(staff.ManageOwnAccount, s.confirmForm, s.confirm)),
		pagekit.At("/sign-out", "sign-out", pagekit.Methods{http.MethodPost: pagekit.Anybody(s.signOut)}),
		pagekit.At("/link/{secret}", "link", pagekit.Methods{http.MethodGet: pagekit.Anybody(s.openLink)}),
		pagekit.At("/link", "link", pagekit.Methods{http.MethodGet: pagekit.Anybody(s.linkForm), http.MethodPost: pagekit.Anybody(s.acceptLink)}),
		pagekit.At("/account", "account", pagekit.Methods{http.MethodGet: pagekit.WhoMay(staff.ManageOwnAccount, s.account)}),
		pagekit.At("/account/password", "password", pagekit.Both(staff.ManageOwnAccount, s.passwordForm, s.changePassword)),
		pagekit.At("/account/passkeys", "passkeys", pagekit.Both(staff.ManageOwnAccount, s.passkeys, s.changePasskeys)),
		pagekit.At("/account/sessions", "sessions", pagekit.Methods{http.MethodPost: pagekit.WhoMay(staff.ManageOwnAccount, s.endSessions)}),
	}
}

// LinkPath is the path of a member's invitation or reset link.
func LinkPath(tenant, secret string) string { return "/" + tenant + "/staff/link/" + secret }

var (
	errLink = pagekit.Sorry(http.StatusNotFound, "This link cannot be used",
		"It has been used, has ended or is not complete.", "Ask your manager for a new one.")
	errOtherLink = pagekit.Sorry(http.StatusForbidden, "This page is out of date",
		"Nothing has been changed. Another link has been opened in this browser since you opened the page.", "Open your own link again.")
	errNoPasskeysHere = pagekit.Sorry(http.StatusBadRequest, "Passkeys cannot be used at this address",
		"A passkey belongs to a name, and this address is not one that can have passkeys.", "Open these pages at the address that your practice uses.")
)
