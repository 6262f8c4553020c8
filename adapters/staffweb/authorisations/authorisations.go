package authorisations

import (
	"errors"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections/applications"
)

// authorisationsPage is the page of granted authorisations.
type authorisationsPage struct {
	Stopped    bool // one has just been stopped
	Own        []givenRow
	EndsOthers bool
	Others     []givenRow // only for those who may end them
	Token      string
}

// givenRow is one authorisation.
type givenRow struct {
	applications.Authorisation
	Until string
}

// mostShown limits each list of the page.
const mostShown = 200

// authorisations shows which applications act for the member of staff.
// Managers also see those of all other staff.
func (s *Section) authorisations(r *pagekit.Request) error {
	page := authorisationsPage{
		Stopped: r.Form.Has("stopped"), EndsOthers: r.Session.Roles.May(staff.EndOthersAuthorisations), Token: r.Session.FormToken("revoke"),
	}
	own, err := s.Given.GivenBy(r.Context(), r.Tenant, r.Session.Staff, s.Now(), mostShown)
	if err != nil {
		return err
	}
	page.Own = rows(r, own)
	if page.EndsOthers {
		others, err := s.Given.GivenByOthers(r.Context(), r.Tenant, r.Session.Staff, s.Now(), mostShown)
		if err != nil {
			return err
		}
		page.Others = rows(r, others)
	}
	s.Show(r, pagekit.View{Template: templates["authorisations"], Status: http.StatusOK, Title: "Apps that can act for you", Content: page})
	return nil
}

func rows(r *pagekit.Request, given []applications.Authorisation) []givenRow {
	shown := make([]givenRow, len(given))
	for i, g := range given {
		shown[i] = givenRow{g, pagekit.Clock(g.ExpiresAt, r.Practice.Zone)}
	}
	return shown
}

// revoke stops an authorisation. One that has ended since, or whose member of staff has
// left, counts as stopped.
func (s *Section) revoke(r *pagekit.Request) error {
	if !r.HasToken("revoke") {
		return pagekit.ErrStale
	}
	intent, err := revocationOf(r)
	if err != nil {
		return err
	}
	if intent.Username != r.Session.Username && !r.Session.Roles.May(staff.EndOthersAuthorisations) {
		return errNotYours
	}
	err = s.Desk.RevokeUserAuthorisation(r.StaffContext(), intent)
	if err != nil && !isGone(err) {
		return err
	}
	return r.Redirect(r.Base() + "/authorisations?stopped")
}

// isGone reports whether a refusal means that the authorisation does not exist.
func isGone(err error) bool {
	return errors.Is(err, authorisation.ErrNone) || errors.Is(err, staff.ErrUnknown) || errors.Is(err, application.ErrUnknown)
}

// revocationOf reads the authorisation to stop from the form.
func revocationOf(r *pagekit.Request) (commands.RevokeUserAuthorisation, error) {
	app, isApp := parse.ID(r.Form.Get("application"))
	about, isPatient := parse.ID(r.Form.Get("patient"))
	if !isApp || !isPatient {
		return commands.RevokeUserAuthorisation{}, pagekit.ErrUnreadable
	}
	return commands.RevokeUserAuthorisation{
		Tenant: r.Tenant, Application: application.ID{UUID: app},
		Username: r.Form.Get("username"), Patient: patient.ID{UUID: about},
	}, nil
}
