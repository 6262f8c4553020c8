package staffweb

import (
	"errors"
	"net/http"
	"net/url"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/written"
	"frontdesk/projections"
)

// ask is what an application has sent the browser with, exactly as it was
// written.
type ask struct {
	App, Redirect string
	Made          bool // something was asked, be it nonsense
}

// askOf reads what was asked of a page. A parameter that is there twice counts as
// missing, because nobody knows which of the two is meant.
func askOf(values url.Values, page string) ask {
	one := func(name string) string {
		if len(values[name]) == 1 {
			return values[name][0]
		}
		return ""
	}
	return ask{one("app"), one("redirect"), page == "authorise" || values.Has("app") || values.Has("redirect")}
}

// query carries what was asked from one page to the next.
func (a ask) query() string {
	if !a.Made {
		return ""
	}
	return "?" + url.Values{"app": {a.App}, "redirect": {a.Redirect}}.Encode()
}

// purpose is what a form for this ask is good for.
func (a ask) purpose() string { return "authorise\x00" + a.App + "\x00" + a.Redirect }

// request is an ask that was found to be in order.
type request struct {
	projections.Approval
	way application.WayBack
}

// signInFirst sends a browser without a session to the sign-in page, whatever it was
// sent with: a stranger learns nothing about applications and practices (D25).
func (v *visit) signInFirst() error { return v.goTo(v.base() + "/sign-in" + v.ask.query()) }

// judge finds the ask in order for the member of staff and their practice, or says
// what is wrong with it. In that case the browser is sent nowhere (D25).
func (p *Pages) judge(v *visit) (request, error) {
	a := v.ask
	if a.App == "" || a.Redirect == "" {
		return request{}, errIncomplete
	}
	id, ok := written.ID(a.App)
	if !ok {
		return request{}, errUnknownApplication
	}
	approval, err := p.Approvals.Of(v.ctx(), v.tenant, application.ID{UUID: id}, v.session.Staff, p.Now())
	switch {
	case errors.Is(err, application.ErrUnknown):
		return request{}, errUnknownApplication
	case err != nil:
		return request{}, err
	case !approval.Enabled:
		return request{}, errNotEnabled
	case len(approval.MayCall) == 0:
		return request{}, errNotForUsers
	}
	way, err := application.FindWayBack(approval.Callbacks, a.Redirect)
	if err != nil {
		return request{}, errUnknownCallback
	}
	return request{approval, way}, nil
}

// authorisePage is what the authorisation page shows.
type authorisePage struct {
	Application string
	May         []string // what it may do after approval
	For, Ends   string   // how long, and until when
	Until       string   // when an earlier approval ends; "" if there is none
	Host        string   // where the browser goes next; "" for an application on the device
	Scheme      string
	Token       string
}

// authoriseForm asks a member of staff whether an application may act for them.
// Looking at the page approves nothing, however often it is done.
func (p *Pages) authoriseForm(v *visit) error {
	request, err := p.judge(v)
	if err != nil {
		return err
	}
	page := authorisePage{
		Application: request.Name, May: listed(request.MayCall), For: span(p.Desk.AuthorisationLifetime),
		Ends: clock(p.Now().Add(p.Desk.AuthorisationLifetime), v.practice.Zone),
		Host: request.way.Host(), Scheme: request.way.Scheme(), Token: v.session.FormToken(v.ask.purpose()),
	}
	if !request.Until.IsZero() {
		page.Until = clock(request.Until, v.practice.Zone)
	}
	v.w.Header().Set("Content-Security-Policy", policy(formSource(request.way)))
	p.show(v, view{name: "authorise", status: http.StatusOK, title: "Let " + request.Name + " act for you?", content: page})
	return nil
}

// authorise takes the decision and sends the browser back. Everything that was
// judged for the page is judged again.
func (p *Pages) authorise(v *visit) error {
	request, err := p.judge(v)
	if err != nil {
		return err
	}
	if !v.owns(v.ask.purpose()) {
		return errStale
	}
	switch v.form.Get("decision") {
	case "approve":
		if !p.confirmed(v) {
			return p.confirmFirst(v, "authorise")
		}
		return p.approve(v, request)
	case "decline":
		return v.goTo(request.way.Declined())
	}
	return errUnreadable
}

func (p *Pages) approve(v *visit, request request) error {
	expiresAt, err := p.Desk.GrantUserAuthorisation(v.asStaff(), commands.GrantUserAuthorisation{
		Tenant: v.tenant, Application: request.Application, Username: v.session.Username,
	})
	if err != nil {
		return err
	}
	return v.goTo(request.way.Approved(v.session.Username, expiresAt))
}
