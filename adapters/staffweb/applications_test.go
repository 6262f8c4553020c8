package staffweb_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/applications"
)

const applicationsAt = "/elm-street/staff/applications"

// portal is an application that no practice has enabled: it may send requests for
// itself, and gets webhooks of call-ins.
func (s *service) portal(t *testing.T, name string) application.ID {
	t.Helper()
	id := s.registerApplication(t, name)
	desk := commands.Desk{Store: s.store, CheckURL: func(string) error { return nil }}
	must(t, desk.GrantEndpoint(t.Context(), commands.GrantEndpoint{
		Application: id, Grant: application.Grant{Endpoint: access.CreatePatientRequest, Mode: application.ApplicationRestricted}}))
	must(t, desk.SetWebhook(t.Context(), commands.SetWebhook{Application: id, Event: application.CallInShown, URL: "https://portal.example/hook"}))
	return id
}

func (s *service) enabled(t *testing.T, app application.ID) bool {
	t.Helper()
	offer, err := applications.Directory{DB: s.pool}.Find(t.Context(), elm, app)
	must(t, err)
	return offer.Enabled
}

func TestManagersEnableAndDisableApplications_D89(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const evil = `<script>alert(1)</script>"><b>`
	portal := s.portal(t, evil)
	b, lee := s.browser(t), s.browser(t)
	b.signIn(elm, "dr.may")
	lee.signIn(elm, "dr.lee")
	lee.approve(elm, callback)
	list := b.get(applicationsAt)
	enabled, available, _ := strings.Cut(list.body, "<h2>Available</h2>")
	if !strings.Contains(enabled, "Triage Helper") || !strings.Contains(available, portal.String()) || strings.Contains(list.body, "<script>") {
		t.Errorf("the list is\n%s", list.body)
	}
	at := applicationsAt + "/" + portal.String()
	page := b.get(at)
	for _, want := range []string{"<strong>not enabled</strong>", "send patient requests to the practice", "a patient is called in", "for any patient of the practice"} {
		page.wants(t, http.StatusOK, "", want)
	}
	form := page.form(t, at)
	form.Set("do", "enable")
	for name, edit := range map[string][2]string{"another's token": {"token", b.get(applicationsAt+"/"+s.app.String()).form(t, applicationsAt+"/"+s.app.String()).Get("token")}, "none": {"token", ""}} {
		forged := maps.Clone(form)
		forged.Set(edit[0], edit[1])
		if answer := b.post(at, forged); answer.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", name, answer.Status)
		}
	}
	s.Pass(15 * time.Minute)
	b.post(at, form).wants(t, http.StatusSeeOther, "/elm-street/staff/confirm?then=applications%2F"+portal.String(), "")
	confirm := b.get("/elm-street/staff/confirm?then=applications%2F"+portal.String()).form(t, "/elm-street/staff/confirm")
	confirm.Set("password", password)
	b.post("/elm-street/staff/confirm", confirm).wants(t, http.StatusSeeOther, at, "")
	must(t, commands.Desk{Store: s.store}.GrantEndpoint(t.Context(), commands.GrantEndpoint{
		Application: portal, Grant: application.Grant{Endpoint: access.RetrieveCareRecord, Mode: application.ApplicationRestricted}}))
	changed := b.post(at, form)
	changed.wants(t, http.StatusConflict, "", "the application has changed since you opened the page")
	form = changed.form(t, at)
	form.Set("do", "enable")
	b.post(at, form).wants(t, http.StatusSeeOther, at+"?done=enable", "")
	b.get(at+"?done=enable").wants(t, http.StatusOK, "", "It can call from now on.")
	b.post(at, form).wants(t, http.StatusConflict, "", "has changed")
	if !s.enabled(t, portal) {
		t.Error("it is not enabled")
	}

	at = applicationsAt + "/" + s.app.String()
	page = b.get(at)
	page.wants(t, http.StatusOK, "", `<span class="tag white">No activity</span>`)
	if got := cellsOf(page.body, "send patient requests"); !slices.Equal(got, []string{"send patient requests to the practice", "No", "Yes"}) {
		t.Errorf("the permission has %q", got)
	}
	for _, want := range []string{"<bdi>Dr Lee</bdi>, until ", "it loses 1 authorisation of staff", "it stops receiving notifications<"} {
		page.wants(t, http.StatusOK, "", want)
	}
	s.Pass(14 * time.Minute)
	form = page.form(t, at)
	form.Set("do", "disable")
	b.post(at, form).wants(t, http.StatusSeeOther, at+"?done=disable", "")
	if s.enabled(t, s.app) {
		t.Error("it is enabled")
	}
	b.get(at).wants(t, http.StatusOK, "", "It cannot use these while it is not enabled.")
	if oaks, err := (applications.Directory{DB: s.pool}).Find(t.Context(), oak, s.app); err != nil || !oaks.Enabled {
		t.Errorf("the other practice has %+v, %v", oaks, err)
	}
	form.Set("do", "burn")
	form.Set("seen", b.get(at).form(t, at).Get("seen"))
	b.post(at, form).wants(t, http.StatusBadRequest, "", "could not read")
	for _, unknown := range []string{event.NewID().String(), "x", "%00"} {
		b.get(applicationsAt+"/"+unknown).wants(t, http.StatusNotFound, "", "We do not know this application")
		b.get(applicationsAt+"?after="+unknown).wants(t, http.StatusNotFound, "", "We do not know this application")
	}
}

func TestApplicationPageShowsHealth_D89(t *testing.T) {
	t.Parallel()
	s := newService(t)
	lee, err := projections.Staff{DB: s.pool}.AnyStaffByUsername(t.Context(), elm, "dr.lee")
	must(t, err)
	s.called(t, elm, lee, 200, "")
	s.called(t, elm, staff.ID{}, 403, "The app has no permission")
	s.called(t, elm, staff.ID{}, 503, "later")
	s.called(t, oak, staff.ID{}, 403, "of another practice")
	at := event.LowestID(s.Now())
	_, err = s.pool.Exec(t.Context(), `INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status, reason)
		SELECT $1, $2, 1, $3, 'record.opened', gen_random_uuid(), gen_random_uuid(), $4, $4, 'failed', 'http_5xx'`, at, s.app, elm, s.Now())
	must(t, err)
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	page := b.get(applicationsAt + "/" + s.app.String())
	for _, want := range []string{
		`<h2>Health <span class="tag yellow">Check</span></h2>`,
		"<p>In the last day: 1 call refused, 1 call that we could not serve, 1 webhook not delivered. Also 1 call answered.</p>",
		"<strong>Last failure:</strong> <bdi>A call at 1:00pm on Wednesday 1 July, to add notes to patients’ care records, ",
		"it asked to add notes to patients’ care records, <bdi>for Dr Lee</bdi>.", "<bdi>for itself</bdi>. It was told: <bdi>The app has no permission</bdi>",
		"This is our fault", "That a patient’s record is opened, of 1:00pm on Wednesday 1 July. http_5xx",
	} {
		page.wants(t, http.StatusOK, "", want)
	}
	if got := cellsOf(page.body, "1pm to 2pm on Wednesday"); !slices.Equal(got, []string{"1pm to 2pm on Wednesday", "1", "1", "1", "0", "1"}) {
		t.Errorf("the hour has %q", got)
	}
	if health, may, disable := strings.Index(page.body, "<h2>Health"), strings.Index(page.body, "<h2>What it may do"), strings.Index(page.body, "<h2>Disable it"); health > may || may > disable || strings.Contains(page.body[disable:], "<h3>") {
		t.Errorf("the order of the page is wrong: %d, %d, %d", health, may, disable)
	}
	if strings.Contains(page.body, "another practice") {
		t.Errorf("it shows calls of another practice:\n%s", page.body)
	}

	for n := range 60 {
		s.registerApplication(t, fmt.Sprintf("Application %02d", n))
	}
	first := b.get(applicationsAt)
	_, after, more := strings.Cut(first.body, applicationsAt+"?after=")
	after, _, _ = strings.Cut(after, `"`)
	second := b.get(applicationsAt + "?" + url.Values{"after": {after}}.Encode())
	if strings.Count(first.body, "<h3>") != 51 || !more || strings.Count(second.body, "<h3>") != 11 || strings.Contains(second.body, "?after=") {
		t.Errorf("the pages show %d and %d", strings.Count(first.body, "<h3>"), strings.Count(second.body, "<h3>"))
	}
}

// called is a line of the access record.
func (s *service) called(t *testing.T, tenant string, member staff.ID, status int, reason string) {
	t.Helper()
	id, mode := event.LowestID(s.Now()), application.ApplicationRestricted
	fresh := event.NewID()
	copy(id[8:], fresh[8:])
	if member != (staff.ID{}) {
		mode = application.UserRestricted
	}
	_, err := s.pool.Exec(t.Context(), `INSERT INTO access_record (request_id, at, tenant, application, mode, staff, endpoint, status, code, reason, token_hash)
		VALUES ($1, $2, $3, $4, $5, $6, 'create-note', $7, '', $8, '')`, id, s.Now(), tenant, s.app, mode, member, status, reason)
	must(t, err)
}
