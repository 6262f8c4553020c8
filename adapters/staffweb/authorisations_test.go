package staffweb_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/projections"
)

const (
	home  = "/elm-street/staff"
	given = home + "/authorisations"
)

// may reports the application's authorisations for a member of staff.
func (s *service) may(t *testing.T, tenant, username string) (standing bool, patients int) {
	t.Helper()
	rights, err := projections.Rights{DB: s.pool}.Rights(t.Context(), access.Claim{
		Tenant: tenant, Application: s.app, Username: username, Endpoint: access.Endpoint{Name: access.CreatePatientRequest}, Mode: application.UserRestricted,
	}, s.Now())
	must(t, err)
	return !rights.AuthorisedUntil.IsZero(), len(rights.Patients)
}

func TestStaffListAndStopOwnAuthorisations_D14(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.get(given).wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=authorisations", "")
	b.signIn(elm, "dr.lee")
	b.get(given).wants(t, http.StatusOK, "", "No application can act for you at <bdi>Elm Street Surgery</bdi>")

	b.approve(elm, callback)
	s.scoped(t.Context(), t, elm, "dr.lee")
	page := b.get(given)
	for _, text := range []string{"<h2><bdi>Triage Helper</bdi></h2>", "Until 1:00am on Thursday 2 July.", "For one patient only."} {
		page.wants(t, http.StatusOK, "", text)
	}
	if strings.Contains(page.body, "Ann Archer") {
		t.Error("the page names a patient, and no event says who looked")
	}
	// The standing one is the first form of the page: it ends, the other stays.
	b.post(given, page.form(t, given)).wants(t, http.StatusSeeOther, given+"?stopped", "")
	b.get(given+"?stopped").wants(t, http.StatusOK, "", "has been stopped")
	if standing, patients := s.may(t, elm, "dr.lee"); standing || patients != 1 {
		t.Errorf("standing %t, %d patients; want the patient's alone", standing, patients)
	}
	b.post(given, page.form(t, given)).wants(t, http.StatusSeeOther, given+"?stopped", "") // repeating it changes nothing
	b.post(given, b.get(given).form(t, given)).wants(t, http.StatusSeeOther, given+"?stopped", "")
	if _, patients := s.may(t, elm, "dr.lee"); patients != 0 {
		t.Errorf("%d patients; want none", patients)
	}
}

func TestExpiredAuthorisationsAreHidden_D13(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	b.approve(elm, callback)
	s.Pass(12 * time.Hour)
	b.signIn(elm, "dr.lee")
	b.get(given).wants(t, http.StatusOK, "", "No application can act for you")
}

func TestAuthorisationOfDisabledAppIsMarked_D14(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	b.approve(elm, callback)
	s.disable(t, elm, s.app)
	b.get(given).wants(t, http.StatusOK, "", "not enabled at the practice at the moment")
}

func TestOnlyAdminsStopOthersAuthorisations_D14(t *testing.T) {
	t.Parallel()
	s := newService(t)
	lee, may := s.browser(t), s.browser(t)
	lee.signIn(elm, "dr.lee")
	may.signIn(elm, "dr.may")
	for _, b := range []*browser{lee, may} {
		b.approve(elm, callback)
	}
	if page := lee.get(given); strings.Contains(page.body, "dr.may") || strings.Contains(page.body, "Other staff") {
		t.Error("staff see what others have given")
	}
	form := lee.get(given).form(t, given)
	form.Set("username", "dr.may")
	lee.post(given, form).wants(t, http.StatusForbidden, "", "You cannot stop this authorisation")
	if standing, _ := s.may(t, elm, "dr.may"); !standing {
		t.Fatal("staff have stopped what another has given")
	}

	page := may.get(given)
	page.wants(t, http.StatusOK, "", "<h3><bdi>Triage Helper</bdi> for <bdi>Dr Lee</bdi></h3>")
	form = page.form(t, given)
	form.Set("username", "dr.lee")
	may.post(given, form).wants(t, http.StatusSeeOther, given+"?stopped", "")
	mine, _ := s.may(t, elm, "dr.may")
	theirs, _ := s.may(t, elm, "dr.lee")
	if !mine || theirs {
		t.Errorf("the administrator's stands: %t, the other's: %t", mine, theirs)
	}
}

func TestBrowserSignsInAtTwoPractices_D27(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	b.signIn(oak, "dr.lee")
	b.approve(oak, callback)
	b.get("/oak-lane/staff/authorisations").wants(t, http.StatusOK, "", "Triage Helper")
	b.get(given).wants(t, http.StatusOK, "", "No application can act for you at <bdi>Elm Street Surgery</bdi>")

	b.post("/elm-street/staff/sign-out", b.get(given).form(t, "/elm-street/staff/sign-out"))
	b.get(given).wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=authorisations", "")
	b.get("/oak-lane/staff/authorisations").wants(t, http.StatusOK, "", "Triage Helper")
}

func TestInvalidFormRevokesNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	b.approve(elm, callback)
	good := b.get(given).form(t, given)
	for name, value := range map[string]string{"application": "x", "patient": "", "username": "nobody"} {
		form := maps.Clone(good)
		form.Set(name, value)
		if answer := b.post(given, form); answer.StatusCode < 400 || answer.StatusCode >= 500 {
			t.Errorf("%s = %q: %s", name, value, answer.Status)
		}
	}
	if standing, _ := s.may(t, elm, "dr.lee"); !standing {
		t.Error("the authorisation was stopped")
	}
}

// An administrator's list may be out of date: a member who has left, or never existed,
// has no authorisation to stop.
func TestMissingAuthorisationCountsAsStopped_D14(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	b.approve(elm, callback)
	form := b.get(given).form(t, given)
	for name, values := range map[string][]string{"username": {"nobody", "\xff", "dr.\x00"}, "application": {uuid.NewString(), uuid.Nil.String()}} {
		for _, value := range values {
			form := maps.Clone(form)
			form.Set(name, value)
			b.post(given, form).wants(t, http.StatusSeeOther, given+"?stopped", "")
		}
	}
	if standing, _ := s.may(t, elm, "dr.may"); !standing {
		t.Error("the authorisation was stopped")
	}
}
