package staffweb

import (
	"net/http"

	"frontdesk/commands"
)

// authorisePage is what the authorisation page shows.
type authorisePage struct {
	Application string
	May         []string // what it may then do
	For, Ends   string   // how long, and until when
	Until       string   // end of what was approved before; "" if nothing
	Host        string   // where the browser goes next; "" for an application on the device
	Scheme      string
	Token       string
}

// authoriseForm asks a member of staff whether an application may act for them
// (§5.4). However often it is looked at, nothing is approved (D25).
func (p *Pages) authoriseForm(v *visit) error {
	request, err := p.judge(v.ctx(), v.practice.Tenant, v.ask, v.session.Staff)
	if err != nil {
		return err
	}
	if !v.signedIn {
		return v.goTo(v.base() + "/sign-in" + v.ask.query())
	}
	page := authorisePage{
		Application: request.Name, May: listed(request.MayCall), For: span(p.Commands.AuthorisationLifetime),
		Ends: clock(p.Now().Add(p.Commands.AuthorisationLifetime), v.practice.Zone),
		Host: request.way.Host(), Scheme: request.way.Scheme(), Token: v.session.FormToken(v.ask.purpose()),
	}
	if !request.Until.IsZero() {
		page.Until = clock(request.Until, v.practice.Zone)
	}
	v.w.Header().Set("Content-Security-Policy", policy(request.way.FormSource()))
	p.show(v, view{name: "authorise", status: http.StatusOK, title: "Let " + request.Name + " act for you?", content: page})
	return nil
}

// authorise carries a decision out and sends the browser back (D26). All that
// the page has judged is judged again.
func (p *Pages) authorise(v *visit) error {
	request, err := p.judge(v.ctx(), v.practice.Tenant, v.ask, v.session.Staff)
	if err != nil {
		return err
	}
	if !v.signedIn { // the session has ended meanwhile
		return v.goTo(v.base() + "/sign-in" + v.ask.query())
	}
	if !v.owns(v.ask.purpose()) {
		return errStale
	}
	switch v.form.Get("decision") {
	case "approve":
		return p.approve(v, request)
	case "decline":
		return v.goTo(request.way.Declined())
	}
	return errUnreadable
}

func (p *Pages) approve(v *visit, request request) error {
	expiresAt, err := p.Commands.GrantUserAuthorisation(v.asStaff(), commands.GrantUserAuthorisation{
		Tenant: v.practice.Tenant, Application: request.Application, Username: v.session.Username,
	})
	if err != nil {
		return err
	}
	return v.goTo(request.way.Approved(v.session.Username, expiresAt))
}
