package staffweb

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// authorisationsPage is what the page of given authorisations shows.
type authorisationsPage struct {
	Stopped       bool // one has just been stopped
	Own           []givenRow
	Administrator bool
	Others        []givenRow // for practice administrators (D14)
	Token         string
}

// givenRow is one authorisation.
type givenRow struct {
	projections.GivenAuthorisation
	Until string
}

// mostShown bounds each list of the page.
const mostShown = 200

// authorisations shows which applications act for whoever is signed in and, to
// practice administrators, for everybody else.
func (p *Pages) authorisations(v *visit) error {
	if !v.signedIn {
		return v.goTo(v.base() + "/sign-in")
	}
	page := authorisationsPage{
		Stopped: v.form.Has("stopped"), Administrator: v.session.Administrator, Token: v.session.FormToken("revoke"),
	}
	own, err := p.Given.By(v.ctx(), v.practice.Tenant, v.session.Staff, p.Now(), mostShown)
	if err != nil {
		return err
	}
	page.Own = rows(v, own)
	if page.Administrator {
		others, err := p.Given.ByOthers(v.ctx(), v.practice.Tenant, v.session.Staff, p.Now(), mostShown)
		if err != nil {
			return err
		}
		page.Others = rows(v, others)
	}
	p.show(v, view{name: "authorisations", status: http.StatusOK, title: "Your authorisations", content: page})
	return nil
}

func rows(v *visit, given []projections.GivenAuthorisation) []givenRow {
	shown := make([]givenRow, len(given))
	for i, g := range given {
		shown[i] = givenRow{g, clock(g.ExpiresAt, v.practice.Zone)}
	}
	return shown
}

// revoke stops an authorisation. One that has ended meanwhile is stopped.
func (p *Pages) revoke(v *visit) error {
	if !v.signedIn {
		return v.goTo(v.base() + "/sign-in")
	}
	if !v.owns("revoke") {
		return errStale
	}
	form := v.form
	app, appErr := uuid.Parse(form.Get("application"))
	about, aboutErr := uuid.Parse(form.Get("patient"))
	if appErr != nil || aboutErr != nil {
		return errUnreadable
	}
	username := form.Get("username")
	if username != v.session.Username && !v.session.Administrator {
		return errNotYours
	}
	err := p.Commands.RevokeUserAuthorisation(v.asStaff(), commands.RevokeUserAuthorisation{
		Tenant: v.practice.Tenant, Application: application.ID{UUID: app},
		Username: username, Patient: patient.ID{UUID: about},
	})
	if err != nil && !errors.Is(err, authorisation.ErrNone) {
		return err
	}
	return v.goTo(v.base() + "/authorisations?stopped")
}
