package staffweb_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/projections"
)

func TestStaffAuthoriseApplication_5_4(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	ask := s.ask(elm, callback+"?state=a%2Fb&x=1")

	signIn := b.get(ask)
	signIn.wants(t, http.StatusSeeOther, strings.Replace(ask, "/authorise", "/sign-in", 1), "")
	page := b.get(signIn.Header.Get("Location"))
	page.wants(t, http.StatusOK, "", "An application has sent you here. Sign in to see what it asks for.")
	form := page.form(t, "/elm-street/staff/sign-in")
	form.Set("username", "dr.lee")
	form.Set("password", password)
	b.post("/elm-street/staff/sign-in", form).wants(t, http.StatusSeeOther, ask, "")

	page = b.get(ask)
	for _, text := range []string{
		"Let <bdi>Triage Helper</bdi> act for you?", "Elm Street Surgery", "Dr Lee", "for 12 hours", "send patient requests to the practice", "app.example",
	} {
		page.wants(t, http.StatusOK, "", text)
	}
	if s.granted(t) != 0 {
		t.Error("GET has approved (D25)")
	}
	form = b.approval(elm, callback+"?state=a%2Fb&x=1")
	s.Pass(999 * time.Millisecond)
	b.post("/elm-street/staff/authorise", form).wants(t, http.StatusSeeOther,
		callback+"?state=a%2Fb&x=1&username=dr.lee&expiresAt=2026-07-02T00%3A00%3A00Z", "")
	if s.granted(t) != 1 {
		t.Error("nothing was granted")
	}
	b.get(ask).wants(t, http.StatusOK, "", "until 1:00am on Thursday 2 July") // on the practice's clocks
}

func TestEventNamesTheApprover(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	answer := b.approve(elm, callback)
	var metadata, lee string
	must(t, s.pool.QueryRow(t.Context(), `SELECT metadata FROM events WHERE name = 'user-authorisation.granted.v1'`).Scan(&metadata))
	must(t, s.pool.QueryRow(t.Context(), `SELECT staff::text FROM staff WHERE tenant = $1 AND username = 'dr.lee'`, elm).Scan(&lee))
	for _, part := range []string{`"kind":"staff"`, lee, answer.Header.Get("X-Request-Id")} {
		if !strings.Contains(metadata, part) {
			t.Errorf("%s lacks %s", metadata, part)
		}
	}
}

func TestApprovingAgainGrantsANewLifetime_D13(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	for _, expiresAt := range []string{"2026-07-02T00%3A00%3A00Z", "2026-07-02T00%3A10%3A00Z"} {
		b.approve(elm, callback).
			wants(t, http.StatusSeeOther, callback+"?username=dr.lee&expiresAt="+expiresAt, "")
		s.Pass(10 * time.Minute)
	}
}

func TestDecliningReturnsWithoutAUsername_D25(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	form := b.approval(elm, callback+"?username=dr.may&expiresAt=2099-01-01T00:00:00Z&s=1")
	form.Set("decision", "decline")
	b.post("/elm-street/staff/authorise", form).wants(t, http.StatusSeeOther, callback+"?s=1&error=access_denied", "")
	if s.granted(t) != 0 {
		t.Error("declining has granted")
	}
}

func TestRedirectToEveryKindOfCallback_D26(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	const approved = "username=dr.lee&expiresAt=2026-07-02T00%3A00%3A00Z"
	for redirect, source := range map[string]string{
		callback:                                "https://app.example",
		"http://127.0.0.1:49152/callback?a=%zz": "http://127.0.0.1:49152",
		"frontdesk-app://callback?s=1":          "frontdesk-app:",
	} {
		policy := b.get(s.ask(elm, redirect)).Header.Get("Content-Security-Policy")
		if !strings.HasSuffix(policy, "; form-action 'self' "+source+"; script-src 'self'; connect-src 'self'") {
			t.Errorf("%s: the policy is %s", redirect, policy)
		}
		want := redirect + "?" + approved
		if strings.Contains(redirect, "?") {
			want = redirect + "&" + approved
		}
		b.approve(elm, redirect).wants(t, http.StatusSeeOther, want, "")
	}
	b.approve(elm, callback+"?error=access_denied&s=1").wants(t, http.StatusSeeOther, callback+"?s=1&"+approved, "")
}

// A bad application or callback is an error page for a member who is signed in, without
// a redirect. A stranger gets the sign-in page, as for a good one (D25).
func TestBadCallbackIsNotFollowed_D25(t *testing.T) {
	t.Parallel()
	s := newService(t)
	notEnabled := s.registerApplication(t, "Not Enabled", callback)
	s.grant(t, notEnabled)
	notForUsers := s.registerApplication(t, "Not For Users", callback)
	s.enable(t, elm, notForUsers)
	signedIn, stranger := s.browser(t), s.browser(t)
	signedIn.signIn(elm, "dr.lee")
	good := signedIn.approval(elm, callback)

	app := func(id string) url.Values { return url.Values{"app": {id}, "redirect": {callback}} }
	to := func(redirect string) url.Values {
		return url.Values{"app": {s.app.String()}, "redirect": {redirect}}
	}
	for _, c := range []struct {
		name   string
		ask    url.Values
		status int
		text   string
	}{
		{"nothing", url.Values{}, 400, "not complete"},
		{"no application", url.Values{"redirect": {callback}}, 400, "not complete"},
		{"no callback", url.Values{"app": {s.app.String()}}, 400, "not complete"},
		{"two applications", url.Values{"app": {s.app.String(), notEnabled.String()}, "redirect": {callback}}, 400, "not complete"},
		{"two callbacks", url.Values{"app": {s.app.String()}, "redirect": {callback, "https://evil.example/"}}, 400, "not complete"},
		{"unknown application", app("0190c7a2-0000-7000-8000-000000000000"), 404, "We do not know this application"},
		{"no identifier", app("triage"), 404, "We do not know this application"},
		{"an identifier in another form", app("urn:uuid:" + s.app.String()), 404, "We do not know this application"},
		{"not enabled", app(notEnabled.String()), 403, "not enabled at your practice"},
		{"no user-restricted grant", app(notForUsers.String()), 403, "cannot act for staff"},
		{"script", to("javascript:alert(document.domain)"), 400, "registered"},
		{"script with a host", to("javascript://app.example/callback?%0aalert(1)"), 400, "registered"},
		{"data", to("data:text/html,<script>alert(1)</script>"), 400, "registered"},
		{"relative", to("/elm-street/staff/authorisations"), 400, "registered"},
		{"no scheme", to("//evil.example/callback"), 400, "registered"},
		{"another host", to("https://evil.example/callback"), 400, "registered"},
		{"user info", to("https://app.example@evil.example/callback"), 400, "registered"},
		{"user info of the right host", to("https://a:b@app.example/callback"), 400, "registered"},
		{"a fragment", to(callback + "#access"), 400, "registered"},
		{"another path", to("https://app.example/elsewhere"), 400, "registered"},
		{"a path below", to(callback + "/../evil"), 400, "registered"},
		{"a backslash", to(`https://app.example\@evil.example/callback`), 400, "registered"},
		{"header injection", to(callback + "?a=b\r\nSet-Cookie: session=evil"), 400, "registered"},
		{"a line break", to("https://app.example/callback\n"), 400, "registered"},
		{"http", to("http://app.example/callback"), 400, "registered"},
		{"another scheme", to("evil-app://callback"), 400, "registered"},
		{"another application's scheme", to("frontdesk-app://callback.evil"), 400, "registered"},
	} {
		form := url.Values{"token": good["token"], "decision": {"approve"}}
		maps.Copy(form, c.ask)
		link := "/elm-street/staff/authorise?" + c.ask.Encode()
		for _, answer := range []seen{signedIn.get(link), signedIn.post("/elm-street/staff/authorise", form)} {
			if answer.StatusCode != c.status || answer.Header.Get("Location") != "" || !strings.Contains(answer.body, c.text) {
				t.Errorf("%s, signed in, %s: got %s to %q, want %d with %q", c.name, answer.Request.Method,
					answer.Status, answer.Header.Get("Location"), c.status, c.text)
			}
		}
		for _, answer := range []seen{stranger.get(link), stranger.post("/elm-street/staff/authorise", form)} {
			if answer.StatusCode != http.StatusSeeOther || !strings.HasPrefix(answer.Header.Get("Location"), "/elm-street/staff/sign-in?app=") || answer.body != "" {
				t.Errorf("%s, stranger, %s: got %s to %q", c.name, answer.Request.Method, answer.Status, answer.Header.Get("Location"))
			}
		}
	}
	if s.granted(t) != 0 {
		t.Errorf("%d were granted", s.granted(t))
	}
}

func TestStaleAuthorisePageIsCheckedAgain(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	form := b.approval(elm, callback)

	s.disable(t, elm, s.app)
	b.post("/elm-street/staff/authorise", form).wants(t, http.StatusForbidden, "", "not enabled at your practice")
	s.enable(t, elm, s.app)
	must(t, commands.Desk{Store: s.store}.RemoveCallback(t.Context(), commands.RemoveCallback{Application: s.app, Callback: callback}))
	b.post("/elm-street/staff/authorise", form).wants(t, http.StatusBadRequest, "", "registered")
	must(t, commands.Desk{Store: s.store}.AddCallback(t.Context(), commands.AddCallback{Application: s.app, Callback: callback}))

	deactivate := commands.Desk{Store: s.store, Staff: projections.Staff{DB: s.pool}}
	must(t, deactivate.DeactivateStaff(t.Context(), commands.DeactivateStaff{Tenant: elm, Username: "dr.lee"}))
	answer := b.post("/elm-street/staff/authorise", form)
	answer.wants(t, http.StatusSeeOther, strings.Replace(s.ask(elm, callback), "/authorise", "/sign-in", 1), "")
	if s.granted(t) != 0 {
		t.Errorf("%d were granted", s.granted(t))
	}
}

func TestDecisionMustBeApproveOrDecline(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	for _, decision := range []string{"", "Approve", "yes"} {
		form := b.approval(elm, callback)
		form.Set("decision", decision)
		b.post("/elm-street/staff/authorise", form).wants(t, http.StatusBadRequest, "", "could not read")
	}
	// The query of a POST is not part of the form.
	form := b.approval(elm, callback)
	form.Del("decision")
	b.post("/elm-street/staff/authorise?decision=approve", form).wants(t, http.StatusBadRequest, "", "could not read")
	if s.granted(t) != 0 {
		t.Errorf("%d were granted", s.granted(t))
	}
}
