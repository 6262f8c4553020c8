package staffweb

import (
	"context"
	"errors"
	"net/url"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// ask is what an application has sent the browser with (§4.4), as it was
// written.
type ask struct{ App, Redirect string }

// askOf reads what was asked; what is there twice is not there, for nobody
// knows which of them counts.
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

// judge finds an ask in order, for a practice and a member of staff, or says
// what is wrong with it. The browser is then sent nowhere (D25).
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
