package staffweb_test

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/staffweb"
	"frontdesk/commands"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

const people = "/elm-street/staff/people"

// about is the page of a member of staff.
func (s *service) about(t *testing.T, tenant, username string) (path string) {
	t.Helper()
	id, err := projections.Staff{DB: s.pool}.AnyStaffByUsername(t.Context(), tenant, username)
	must(t, err)
	return people + "?member=" + id.String()
}

// actionForm returns the form of an action from a page.
func (s seen) actionForm(t *testing.T, do string, roles ...staff.Role) url.Values {
	t.Helper()
	form := s.form(t, people)
	form.Set("do", do)
	for _, role := range roles {
		form.Add("role", string(role))
	}
	return form
}

var shownLink = regexp.MustCompile(`readonly autofocus spellcheck="false">([^<]+)</textarea>`)

// secretOf is the secret of the link that a page shows.
func secretOf(t *testing.T, page seen) string {
	t.Helper()
	found := shownLink.FindStringSubmatch(page.body)
	if found == nil {
		t.Fatalf("%s: no link is shown:\n%s", page.Status, page.body)
	}
	address, err := url.Parse(html.UnescapeString(found[1]))
	must(t, err)
	if address.Host != page.Request.URL.Host || !strings.HasPrefix(address.Path, link+"/") {
		t.Errorf("the link is %s", address)
	}
	return strings.TrimPrefix(address.Path, link+"/")
}

// links counts the links that were ever made.
func (s *service) links(t *testing.T) (n int) {
	t.Helper()
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE name IN ('staff.invited.v1', 'staff.reset.v1')`).Scan(&n))
	return n
}

func TestManagersResetAndDeactivate_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, lee := s.browser(t), s.browser(t)
	b.signIn(elm, "dr.may")
	lee.signIn(elm, "dr.lee")
	lee.approve(elm, callback)
	at := s.about(t, elm, "dr.lee")
	page := b.get(at)
	for _, want := range []string{"they are signed out everywhere", "no application can act for them"} {
		page.wants(t, http.StatusOK, "", want)
	}
	reset := page.actionForm(t, "reset")
	given := b.post(people, reset)
	first := secretOf(t, given)
	lee.get(account).wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=account", "")
	if standing, _ := s.may(t, elm, "dr.lee"); standing {
		t.Error("the application can still act")
	}
	if again := b.post(people, reset); again.StatusCode != http.StatusConflict || s.links(t) != 1 {
		t.Errorf("sent again, the form is answered %s, %d links", again.Status, s.links(t))
	}
	s.Pass(time.Second)
	second := secretOf(t, b.post(people, b.get(at).actionForm(t, "reinvite")))
	theirs := s.browser(t)
	theirs.follow(first).wants(t, http.StatusNotFound, "", "This link cannot be used")
	theirs.choose(theirs.follow(second), better).wants(t, http.StatusSeeOther, account+"?done=link", "")

	b.post(people, b.get(at).actionForm(t, "deactivate")).wants(t, http.StatusSeeOther, at+"&done=deactivate", "")
	b.get(at+"&done=deactivate").wants(t, http.StatusOK, "", "The account has been deactivated.")
	theirs.get(account).wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=account", "")
	third := secretOf(t, b.post(people, b.get(at).actionForm(t, "reactivate")))
	theirs.choose(theirs.follow(third), better).wants(t, http.StatusSeeOther, account+"?done=link", "")

	b.post(people, b.get(at).actionForm(t, "roles", staff.Manager)).wants(t, http.StatusSeeOther, at+"&done=roles", "")
	theirs.get(people).wants(t, http.StatusOK, "", "Dr Lee")
}

func TestLastManagerCannotLeave_D63(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	at := s.about(t, elm, "dr.may")
	for _, do := range []string{"roles", "reset", "deactivate"} {
		b.post(people, b.get(at).actionForm(t, do)).wants(t, http.StatusBadRequest, "", html.EscapeString(staff.ErrLastManager.Detail))
	}
	b.get(people).wants(t, http.StatusOK, "", "<bdi>dr.may</bdi>, manager")
	if s.links(t) != 0 {
		t.Error("a link was made")
	}
}

func TestPeopleFormsAreBoundToTheirPage_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	at := s.about(t, elm, "dr.lee")
	good := b.get(at).actionForm(t, "deactivate")
	edit := func(field, value string) url.Values {
		form := maps.Clone(good)
		form.Set(field, value)
		return form
	}
	_, foreign, _ := strings.Cut(s.about(t, oak, "dr.lee"), "member=")
	b.post(people, edit("member", foreign)).wants(t, http.StatusNotFound, "", "We could not find that member of staff")
	b.get(people+"?member="+foreign).wants(t, http.StatusNotFound, "", "We could not find that member of staff")
	b.get(people+"?member=x").wants(t, http.StatusNotFound, "", "We could not find that member of staff")
	b.post(people, edit("do", "promote")).wants(t, http.StatusBadRequest, "", "could not read")
	_, mine, _ := strings.Cut(s.about(t, elm, "dr.may"), "member=")
	b.post(people, edit("member", mine)).wants(t, http.StatusConflict, "", "has changed this account since")
	b.post(people, edit("token", b.get(change).form(t, change).Get("token"))).wants(t, http.StatusForbidden, "", "out of date")
	b.header.Set("Sec-Fetch-Site", "cross-site")
	b.post(people, good).wants(t, http.StatusForbidden, "", "submitted from another website")
	b.header.Del("Sec-Fetch-Site")

	must(t, s.pages.Desk.SetStaffRoles(t.Context(), commands.SetStaffRoles{Tenant: elm, Username: "dr.lee", Roles: staff.Roles{staff.Clinician}}))
	b.post(people, good).wants(t, http.StatusConflict, "", "someone has changed this account since you opened the page")
	b.signIn(elm, "dr.may")
	b.post(people, good).wants(t, http.StatusForbidden, "", "out of date")
	unknown := b.get(at).actionForm(t, "roles", "owner")
	b.post(people, unknown).wants(t, http.StatusBadRequest, "", `href="#role-receptionist">Choose roles from`)
	s.browser(t).signIn(elm, "dr.lee")
	s.browser(t).signIn(oak, "dr.lee")
}

func TestPeoplePagesHoldThousandStaff_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	_, err := s.pool.Exec(t.Context(), `
		INSERT INTO staff (tenant, staff, username, name, email, administrator)
		SELECT 'elm-street', gen_random_uuid(), 'user' || n, 'Somebody ' || lpad(n::text, 4, '0'), 'x@y.example', false FROM generate_series(1, 1000) n`)
	must(t, err)
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	for n, want := range map[string]string{"": "Page 1 of 21", "?page=1": "Dr Lee", "?page=21": "Somebody 1000", "?page=99": "Page 21 of 21", "?page=-1": "Page 1 of 21", "?page=x": "Dr May"} {
		page := b.get(people + n)
		page.wants(t, http.StatusOK, "", want)
		if shown := strings.Count(page.body, "<h2>"); shown > 50 {
			t.Errorf("%s shows %d", n, shown)
		}
	}
	form := b.get(people).actionForm(t, "find")
	form.Set("find", "SOMEBODY 0777")
	found := b.post(people, form)
	found.wants(t, http.StatusOK, "", "<bdi>user777</bdi>")
	if strings.Count(found.body, "<h2>") != 1 {
		t.Error("others are shown, too")
	}
	form.Set("find", "nobody at all")
	b.post(people, form).wants(t, http.StatusOK, "", "Nobody found")
}

func TestPeoplePagesEscapeNames(t *testing.T) {
	t.Parallel()
	s := newService(t, func(p *staffweb.Pages) { p.InFlight = 4 })
	const evil = `<script>alert(1)</script>"><b>`
	secret := s.invite(t, elm, evil, evil)
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	at := s.about(t, elm, evil)
	form := b.get(people+"?invite").actionForm(t, "invite", staff.Role(evil))
	for _, field := range []string{"name", "username", "email"} {
		form.Set(field, evil)
	}
	find := b.get(people).actionForm(t, "find")
	find.Set("find", evil)
	s.Pass(time.Second)
	pages := []seen{b.get(people), b.get(at), b.post(people, form), b.post(people, find), b.follow(secret), b.post(people, b.get(at).actionForm(t, "reinvite"))}
	for n, page := range pages {
		if strings.Contains(ourScript.ReplaceAllString(page.body, ""), "<script") || strings.Contains(page.body, "<b>") {
			t.Errorf("page %d shows markup:\n%s", n, page.body)
		}
		if !strings.Contains(page.body, html.EscapeString(evil)) && !strings.Contains(page.body, "&#34;&gt;&lt;b&gt;") {
			t.Errorf("page %d does not show the name: %s", n, fmt.Sprint(page.Status))
		}
	}
}

func TestStaffChangesNeedReauthentication_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	s.invite(t, elm, "kim", "Kim")
	at, kims := s.about(t, elm, "dr.lee"), s.about(t, elm, "kim")
	invited := b.get(people+"?invite").actionForm(t, "invite", staff.Manager)
	maps.Copy(invited, url.Values{"name": {"Sam"}, "username": {"sam"}, "email": {"sam@elm.example"}})
	s.Pass(15 * time.Minute)
	first := func(then string) string {
		return "/elm-street/staff/confirm?" + url.Values{"then": {strings.TrimPrefix(then, "/elm-street/staff/")}}.Encode()
	}
	again := first(at)
	for _, do := range []string{"reset", "deactivate"} {
		b.post(people, b.get(at).actionForm(t, do)).wants(t, http.StatusSeeOther, again, "")
	}
	b.post(people, b.get(at).actionForm(t, "roles", staff.Manager)).wants(t, http.StatusForbidden, "", "Your text is kept in this page")
	b.post(people, b.get(kims).actionForm(t, "reinvite")).wants(t, http.StatusSeeOther, first(kims), "")
	b.post(people, invited).wants(t, http.StatusForbidden, "", "Your text is kept in this page")
	b.get(first(people+"?invite")).wants(t, http.StatusOK, "", "Nothing has changed yet")
	page := b.get(again)
	form := page.form(t, "/elm-street/staff/confirm")
	form.Set("password", password)
	b.post("/elm-street/staff/confirm", form).wants(t, http.StatusSeeOther, at, "")
	secretOf(t, b.post(people, b.get(at).actionForm(t, "reset")))
}
