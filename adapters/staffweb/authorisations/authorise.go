package authorisations

import (
	"errors"
	"net/http"
	"regexp"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/parse"
	"frontdesk/projections/applications"
)

// request is an ask that passed all checks.
type request struct {
	applications.Approval
	way application.Redirect
}

// check checks the ask for the member of staff and their practice. After an error the
// browser is not redirected (D25).
func (s *Section) check(r *pagekit.Request) (request, error) {
	a := r.Ask
	if a.App == "" || a.Redirect == "" {
		return request{}, errIncomplete
	}
	id, ok := parse.ID(a.App)
	if !ok {
		return request{}, errUnknownApplication
	}
	approval, err := s.Approvals.Find(r.Context(), r.Tenant, application.ID{UUID: id}, r.Session.Staff, s.Now())
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
	way, err := application.FindRedirect(approval.Callbacks, a.Redirect)
	if err != nil {
		return request{}, errUnknownCallback
	}
	return request{approval, way}, nil
}

// authorisePage is the authorisation page.
type authorisePage struct {
	Application string
	May         []string // its rights after approval
	For, Ends   string   // how long, and until when
	Until       string   // when an earlier approval ends; "" without one
	Host        string   // where the browser goes next; "" for an application on the device
	Scheme      string
	Token       string
}

// authoriseForm asks a member of staff whether an application may act for them. Opening
// the page approves nothing, however often.
func (s *Section) authoriseForm(r *pagekit.Request) error {
	request, err := s.check(r)
	if err != nil {
		return err
	}
	page := authorisePage{
		Application: request.Name, May: pagekit.DescribeRights(request.MayCall), For: pagekit.Span(s.Desk.AuthorisationLifetime),
		Ends: pagekit.Clock(s.Now().Add(s.Desk.AuthorisationLifetime), r.Practice.Zone),
		Host: request.way.Host(), Scheme: request.way.Scheme(), Token: r.Session.FormToken(r.Ask.Purpose()),
	}
	if !request.Until.IsZero() {
		page.Until = pagekit.Clock(request.Until, r.Practice.Zone)
	}
	r.Header().Set("Content-Security-Policy", pagekit.Policy(formSource(request.way)))
	s.Show(r, pagekit.View{Template: templates["authorise"], Status: http.StatusOK, Title: "Let " + request.Name + " act for you?", Content: page})
	return nil
}

// authorise approves or declines and sends the browser back. It repeats every check of
// the page.
func (s *Section) authorise(r *pagekit.Request) error {
	request, err := s.check(r)
	if err != nil {
		return err
	}
	if !r.HasToken(r.Ask.Purpose()) {
		return pagekit.ErrStale
	}
	switch r.Form.Get("decision") {
	case "approve":
		if !s.Confirmed(r) {
			return s.ConfirmFirst(r, "authorise")
		}
		return s.approve(r, request)
	case "decline":
		return r.Redirect(request.way.Declined())
	}
	return pagekit.ErrUnreadable
}

func (s *Section) approve(r *pagekit.Request, request request) error {
	expiresAt, err := s.Desk.GrantUserAuthorisation(r.StaffContext(), commands.GrantUserAuthorisation{
		Tenant: r.Tenant, Application: request.Application, Username: r.Session.Username,
	})
	if err != nil {
		return err
	}
	return r.Redirect(request.way.Approved(r.Session.Username, expiresAt))
}

// formSource returns the callback as a source for the Content-Security-Policy: its
// origin or, if a policy cannot express the origin, its scheme.
func formSource(way application.Redirect) string {
	if host := way.Host(); hostSource.MatchString(host) {
		return way.Scheme() + "://" + host
	}
	return way.Scheme() + ":"
}

// hostSource matches a host that a policy can express. It cannot express an IPv6
// address, for example.
var hostSource = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]+)?$`)
