package staffweb

import (
	"errors"
	"net/http"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/domain/written"
	"frontdesk/projections"
)

// authorisationsPage is what the page of given authorisations shows.
type authorisationsPage struct {
	Stopped    bool // one has just been stopped
	Own        []givenRow
	EndsOthers bool
	Others     []givenRow // shown to those only who may end them
	Token      string
}

// givenRow is one authorisation.
type givenRow struct {
	projections.GivenAuthorisation
	Until string
}

// mostShown bounds each list of the page.
const mostShown = 200

// authorisations shows which applications act for the member of staff.
// Managers also see those of all other staff.
func (p *Pages) authorisations(v *visit) error {
	page := authorisationsPage{
		Stopped: v.form.Has("stopped"), EndsOthers: v.session.Roles.May(staff.EndOthersAuthorisations), Token: v.session.FormToken("revoke"),
	}
	own, err := p.Given.By(v.ctx(), v.tenant, v.session.Staff, p.Now(), mostShown)
	if err != nil {
		return err
	}
	page.Own = rows(v, own)
	if page.EndsOthers {
		others, err := p.Given.ByOthers(v.ctx(), v.tenant, v.session.Staff, p.Now(), mostShown)
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

// revoke stops an authorisation. One that has ended in the meantime counts as
// stopped, also because the member of staff has left.
func (p *Pages) revoke(v *visit) error {
	if !v.owns("revoke") {
		return errStale
	}
	intent, err := revocationOf(v)
	if err != nil {
		return err
	}
	if intent.Username != v.session.Username && !v.session.Roles.May(staff.EndOthersAuthorisations) {
		return errNotYours
	}
	err = p.Desk.RevokeUserAuthorisation(v.asStaff(), intent)
	if err != nil && !isGone(err) {
		return err
	}
	return v.goTo(v.base() + "/authorisations?stopped")
}

// isGone reports whether a refusal means that there is nothing to stop.
func isGone(err error) bool {
	return errors.Is(err, authorisation.ErrNone) || errors.Is(err, staff.ErrUnknown) || errors.Is(err, application.ErrUnknown)
}

// revocationOf reads which authorisation the form stops.
func revocationOf(v *visit) (commands.RevokeUserAuthorisation, error) {
	app, isApp := written.ID(v.form.Get("application"))
	about, isPatient := written.ID(v.form.Get("patient"))
	if !isApp || !isPatient {
		return commands.RevokeUserAuthorisation{}, errUnreadable
	}
	return commands.RevokeUserAuthorisation{
		Tenant: v.tenant, Application: application.ID{UUID: app},
		Username: v.form.Get("username"), Patient: patient.ID{UUID: about},
	}, nil
}
