package staffweb

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// ask is what an application has sent the browser with, exactly as it was
// written.
type ask struct{ App, Redirect string }

// askOf reads what was asked. A parameter that is there twice counts as
// missing, because nobody knows which of the two is meant.
func askOf(values url.Values) ask {
	one := func(name string) string {
		if len(values[name]) == 1 {
			return values[name][0]
		}
		return ""
	}
	return ask{one("app"), one("redirect")}
}

func (a ask) empty() bool { return a == ask{} }

// query carries what was asked from one page to the next.
func (a ask) query() string {
	if a.empty() {
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

// judge finds an ask in order for a practice and a member of staff, or says
// what is wrong with it. In that case the browser is sent nowhere (D25).
func (p *Pages) judge(ctx context.Context, tenant string, a ask, member staff.ID) (request, error) {
	if a.App == "" || a.Redirect == "" {
		return request{}, errIncomplete
	}
	id, err := uuid.Parse(a.App)
	if err != nil || len(a.App) != 36 {
		return request{}, errUnknownApplication
	}
	approval, err := p.Approvals.Of(ctx, tenant, application.ID{UUID: id}, member, p.Now())
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
	request, err := p.judge(v.ctx(), v.practice.Tenant, v.ask, v.session.Staff)
	if err != nil {
		return err
	}
	if !v.signedIn {
		return v.goTo(v.base() + "/sign-in" + v.ask.query())
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
	request, err := p.judge(v.ctx(), v.practice.Tenant, v.ask, v.session.Staff)
	if err != nil {
		return err
	}
	if !v.signedIn { // the session has ended since the page was shown
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
	expiresAt, err := p.Desk.GrantUserAuthorisation(v.asStaff(), commands.GrantUserAuthorisation{
		Tenant: v.practice.Tenant, Application: request.Application, Username: v.session.Username,
	})
	if err != nil {
		return err
	}
	return v.goTo(request.way.Approved(v.session.Username, expiresAt))
}
