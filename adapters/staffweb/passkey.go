package staffweb

import (
	"net/http"
	"net/url"
	"strconv"

	"frontdesk/adapters/staffweb/signin"
)

// site is where the browser reaches the pages, as passkeys know it. A passkey belongs to
// a name, so there is none for an address of numbers.
func (p *Pages) site(v *visit) (s signin.Site, ok bool) {
	at := p.URL
	if at == nil {
		at = &url.URL{Scheme: "http", Host: v.r.Host}
	}
	s = signin.Site{RP: at.Hostname(), Origin: at.Scheme + "://" + at.Host}
	return s, s.Named()
}

// challenge answers the script with what a passkey is to sign, as JSON. It asks the
// database about strangers only if they show the token of a second step.
func (p *Pages) challenge(v *visit) error {
	site, ok := p.site(v)
	if !ok {
		return errNoPasskeysHere
	}
	a := signin.Ask{For: signin.Purpose(v.form.Get("for")), Tenant: v.tenant, Site: site}
	var options []byte
	var kept string
	var err error
	switch a.For {
	case signin.ToSignIn:
		options, kept, err = p.Door.Passkeys.Sign(a, nil)
	case signin.AfterPassword:
		options, kept, err = p.challengeSecond(v, a)
	case signin.ToConfirm, signin.ToAdd:
		options, kept, err = p.challengeMember(v, a)
	default:
		return errUnreadable
	}
	if err != nil {
		return err
	}
	http.SetCookie(v.w, p.challengeCookie(v, kept))
	v.w.Header().Set("Content-Type", "application/json")
	v.w.Header().Set("Content-Length", strconv.Itoa(len(options)))
	v.body.Write(options)
	return nil
}

// challengeSecond asks whoever has given the right password in this browser.
func (p *Pages) challengeSecond(v *visit, a signin.Ask) (options []byte, kept string, err error) {
	if err := v.sit(p.seats.pages); err != nil {
		return nil, "", err
	}
	a.Bound = v.shown(p.stepCookie(v, ""))
	h, found, err := p.Door.Steps.Of(v.ctx(), v.tenant, a.Bound)
	if err != nil {
		return nil, "", err
	}
	if !found {
		return nil, "", errStale
	}
	a.Member = h.Staff
	passkeys, err := p.Door.Passkeys.Of(v.ctx(), v.tenant, h.Staff)
	if err != nil {
		return nil, "", err
	}
	if len(passkeys) == 0 {
		return nil, "", errStale
	}
	return p.Door.Passkeys.Sign(a, passkeys)
}

// challengeMember asks whoever is signed in.
func (p *Pages) challengeMember(v *visit, a signin.Ask) (options []byte, kept string, err error) {
	if !v.owns(string(a.For)) || a.For == signin.ToAdd && !p.confirmed(v) {
		return nil, "", errStale
	}
	a.Member, a.Bound = v.session.Staff, v.session.Token
	passkeys, err := p.Door.Passkeys.Of(v.ctx(), v.tenant, v.session.Staff)
	switch {
	case err != nil:
		return nil, "", err
	case a.For == signin.ToAdd:
		return p.Door.Passkeys.Make(a, v.session, passkeys)
	case len(passkeys) == 0:
		return nil, "", errStale
	}
	return p.Door.Passkeys.Sign(a, passkeys)
}

// signed is what the form has of a passkey. The cookie of its challenge has served.
func (p *Pages) signed(v *visit, a signin.Ask) signin.Signed {
	a.Tenant = v.tenant
	a.Site, _ = p.site(v) // nothing was asked for at a site without a name
	kept := v.shown(p.challengeCookie(v, ""))
	http.SetCookie(v.w, p.challengeCookie(v, ""))
	return signin.Signed{Ask: a, Kept: kept, Answer: v.form.Get("signed"), Source: v.source,
		Device: v.shown(p.deviceCookie(v, "")), Browser: browserOf(v.r.UserAgent())}
}

// signInByPasskey begins a session of whoever's passkey it is.
func (p *Pages) signInByPasskey(v *visit) error {
	if err := v.sit(p.seats.pages); err != nil {
		return err
	}
	in, err := p.Door.SignInByPasskey(v.asStranger(), p.signed(v, signin.Ask{For: signin.ToSignIn}))
	p.noteSignIn(v, in, err)
	if refusal, ok := refusalOf(err); ok {
		return p.turnAway(v, signInPage{Passkey: true}, refusal)
	}
	if err != nil {
		return err
	}
	return p.letIn(v, in)
}

// secondPage is what the page shows that asks for the passkey after the password.
type secondPage struct {
	Fault string
	Back  string // what was asked, as a query
	Here  bool   // the address has a name, to which passkeys can belong
}

// secondForm asks for the passkey of somebody whose password was right.
func (p *Pages) secondForm(v *visit) error {
	if v.signedIn {
		return p.onward(v)
	}
	if err := v.sit(p.seats.pages); err != nil {
		return err
	}
	_, found, err := p.Door.Steps.Of(v.ctx(), v.tenant, v.shown(p.stepCookie(v, "")))
	if err != nil {
		return err
	}
	if !found {
		return v.signInFirst()
	}
	return p.askForPasskey(v, http.StatusOK, "")
}

func (p *Pages) askForPasskey(v *visit, status int, fault string) error {
	title := "Use your passkey"
	if fault != "" {
		title = "Error: " + title
	}
	_, here := p.site(v)
	p.show(v, view{name: "second", status: status, title: title, content: secondPage{fault, v.ask.query(), here}, script: true})
	return nil
}

// second begins a session if the passkey is one of the member's whose password was right.
func (p *Pages) second(v *visit) error {
	if err := v.sit(p.seats.pages); err != nil {
		return err
	}
	step := v.shown(p.stepCookie(v, ""))
	h, found, err := p.Door.Steps.Take(v.ctx(), v.tenant, step)
	if err != nil {
		return err
	}
	if !found {
		return v.signInFirst()
	}
	in, err := p.Door.SignInByPasskey(v.asStranger(), p.signed(v, signin.Ask{For: signin.AfterPassword, Member: h.Staff, Bound: step}))
	p.noteSignIn(v, in, err)
	if refusal, ok := refusalOf(err); ok {
		status, text := p.refused(v, refusal, refusal.Detail)
		return p.askForPasskey(v, status, text)
	}
	if err != nil {
		return err
	}
	if err := p.Door.Steps.End(v.ctx(), v.tenant, step); err != nil {
		return err
	}
	http.SetCookie(v.w, p.stepCookie(v, ""))
	return p.letIn(v, in)
}
