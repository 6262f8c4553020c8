package staffweb

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/written"
)

// confirmPage is what the page shows that asks who is there once more.
type confirmPage struct {
	Passkey bool   // they have one, so the password proves nothing
	Here    bool   // the address has a name, to which passkeys can belong
	Then    string // the page to go on to
	Typed   field  // for the password
	Token   string
	faulty
}

// confirmed reports whether whoever is signed in has proved who they are lately enough
// for an act that asks for it (D66).
func (p *Pages) confirmed(v *visit) bool {
	return v.signedIn && p.Now().Before(v.session.ConfirmedAt.Add(signin.ConfirmFor))
}

// confirmFirst sends the browser to prove who is there. It comes back to a page of ours,
// with what an application has asked for.
func (p *Pages) confirmFirst(v *visit, then string) error {
	query := url.Values{"then": {then}}
	if v.ask.Made {
		query.Set("app", v.ask.App)
		query.Set("redirect", v.ask.Redirect)
	}
	return v.goTo(v.base() + "/confirm?" + query.Encode())
}

// afterConfirming are the pages that may send a browser to confirm. It goes on to no other.
var afterConfirming = []string{"authorise", "account/passkeys", "account/password", "people?invite"}

// leads reports whether a browser may go on to the page: one of those, or that of a person.
func leads(then string) bool {
	if member, ok := strings.CutPrefix(then, "people?member="); ok {
		_, ok = written.ID(member)
		return ok
	}
	return slices.Contains(afterConfirming, then)
}

// confirmForm asks who is there once more.
func (p *Pages) confirmForm(v *visit) error { return p.askAgain(v, http.StatusOK, faulty{}) }

func (p *Pages) askAgain(v *visit, status int, wrong faulty) error {
	if !leads(v.form.Get("then")) {
		return errUnreadable
	}
	passkeys, err := p.Door.Passkeys.Of(v.ctx(), v.tenant, v.session.Staff)
	if err != nil {
		return err
	}
	page := confirmPage{
		Passkey: len(passkeys) > 0, Then: v.form.Get("then"), Token: v.session.FormToken(string(signin.ToConfirm)), faulty: wrong,
		Typed: wrong.password("password", "Your password", "", "current-password"),
	}
	_, page.Here = p.site(v)
	p.show(v, view{name: "confirm", status: status, title: page.title("Confirm that it is you"), content: page, script: page.Passkey})
	return nil
}

// confirm takes the password or the passkey, and sends the browser back to where it was.
func (p *Pages) confirm(v *visit) error {
	if !v.owns(string(signin.ToConfirm)) {
		return errStale
	}
	if !leads(v.form.Get("then")) {
		return errUnreadable
	}
	err := p.proved(v)
	if refusal, ok := refusalOf(err); ok {
		field, text := "password", "This is not your password."
		if v.form.Has("signed") {
			field, text = "passkey", refusal.Detail
		}
		status, text := p.refused(v, refusal, text)
		return p.askAgain(v, status, faulty{[]fieldFault{{field, text}}})
	}
	if err != nil {
		return err
	}
	if v.ask.Made {
		return v.goTo(v.base() + "/authorise" + v.ask.query())
	}
	return v.goTo(v.base() + "/" + v.form.Get("then"))
}

// proved takes what the form has: what a passkey has signed, or else a password. The
// error is a refusal if that proves nothing.
func (p *Pages) proved(v *visit) error {
	if v.form.Has("signed") {
		ask := signin.Ask{For: signin.ToConfirm, Member: v.session.Staff, Bound: v.session.Token}
		return p.Door.ConfirmByPasskey(v.asStranger(), p.signed(v, ask), v.session)
	}
	v.leave() // for a queue of its own
	device, err := p.Door.Confirm(v.asStranger(), p.tryOf(v, v.session.Username, v.form.Get("password")), v.session)
	if err != nil {
		return err
	}
	http.SetCookie(v.w, p.deviceCookie(v, device))
	return nil
}
