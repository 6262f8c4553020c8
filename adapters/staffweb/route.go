package staffweb

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"frontdesk/domain/staff"
)

// page answers one visit. If it returns an error, an apology is the answer.
type page func(*visit) error

// door is a page and who may come in. Only [anybody] and [whoMay] make one, so that no
// page is served for which nobody has decided that (D67).
type door struct {
	right  staff.Action // what a member of staff does there; "" lets strangers in
	behind page
}

// anybody may use the page, signed in or not.
func anybody(behind page) door { return door{"", behind} }

// whoMay do this may use the page: members of staff whose roles the table of rights names.
func whoMay(right staff.Action, behind page) door { return door{right, behind} }

// methods are the pages of one path, by HTTP method.
type methods map[string]door

// both are a form and what it does.
func both(right staff.Action, form, sent page) methods {
	return methods{http.MethodGet: whoMay(right, form), http.MethodPost: whoMay(right, sent)}
}

// route is one path of every practice.
type route struct {
	path, name string // the name is that of logs and metrics
	by         methods
}

// routes are all of them.
func (p *Pages) routes() []route {
	return []route{
		{"", "home", methods{http.MethodGet: anybody(p.home)}},
		{"/", "home", methods{http.MethodGet: anybody(p.home)}},
		{"/sign-in", "sign-in", methods{http.MethodGet: anybody(p.signInForm), http.MethodPost: anybody(p.signIn)}},
		{"/sign-in/passkey", "sign-in-passkey", methods{http.MethodPost: anybody(p.signInByPasskey)}},
		{"/sign-in/second", "second-step", methods{http.MethodGet: anybody(p.secondForm), http.MethodPost: anybody(p.second)}},
		{"/challenge", "challenge", methods{http.MethodPost: anybody(p.challenge)}},
		{"/confirm", "confirm", both(staff.ManageOwnAccount, p.confirmForm, p.confirm)},
		{"/sign-out", "sign-out", methods{http.MethodPost: anybody(p.signOut)}},
		{"/link/{secret}", "link", methods{http.MethodGet: anybody(p.openLink)}},
		{"/link", "link", methods{http.MethodGet: anybody(p.linkForm), http.MethodPost: anybody(p.acceptLink)}},
		{"/authorise", "authorise", both(staff.GiveOwnAuthorisations, p.authoriseForm, p.authorise)},
		{"/authorisations", "authorisations", both(staff.GiveOwnAuthorisations, p.authorisations, p.revoke)},
		{"/account", "account", methods{http.MethodGet: whoMay(staff.ManageOwnAccount, p.account)}},
		{"/account/password", "password", both(staff.ManageOwnAccount, p.passwordForm, p.changePassword)},
		{"/account/passkeys", "passkeys", both(staff.ManageOwnAccount, p.passkeys, p.changePasskeys)},
		{"/account/sessions", "sessions", methods{http.MethodPost: whoMay(staff.ManageOwnAccount, p.endSessions)}},
		{"/people", "people", both(staff.ManagePeople, p.people, p.changePeople)},
	}
}

// serve finds the page that the method asks for, and who is there.
func (r route) serve(p *Pages) page {
	return func(v *visit) error {
		method := v.r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		door, ok := r.by[method]
		if !ok {
			return notAllowed(v, r.by)
		}
		if err := p.enter(v); err != nil {
			return err
		}
		return door.pass(v)
	}
}

// pass answers with the page behind the door, if the visit may see it. Strangers are asked
// to sign in, whatever they want (D25).
func (d door) pass(v *visit) error {
	switch {
	case d.right == "":
	case !v.signedIn:
		return v.signInFirst()
	case !v.session.Roles.May(d.right):
		return notYours(d.right)
	}
	return d.behind(v)
}

// notAllowed refuses a method and names those that the page takes.
func notAllowed(v *visit, by methods) error {
	v.w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(by)), ", "))
	return errMethod
}

// notYours refuses a page to a member of staff, and says whose it is.
func notYours(right staff.Action) error {
	who := "Only " + allOf(staff.RolesWhoMay(right)) + " can do this."
	return &apology{http.StatusForbidden, "You cannot use this page", who,
		"Nothing has been changed. If it is part of your work, ask your manager to change your roles."}
}
