package staffweb_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestNoMethodButPOSTApproves_D25(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	form := b.approval(elm, callback)
	b.get("/elm-street/staff/authorise?"+form.Encode()).wants(t, http.StatusOK, "", "act for you?")
	b.do(http.MethodHead, "/elm-street/staff/authorise?"+form.Encode(), nil).wants(t, http.StatusOK, "", "")
	for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodTrace} {
		answer := b.do(method, "/elm-street/staff/authorise?"+form.Encode(), form)
		if answer.StatusCode != http.StatusMethodNotAllowed || answer.Header.Get("Allow") != "GET, POST" {
			t.Errorf("%s: %s, Allow: %s", method, answer.Status, answer.Header.Get("Allow"))
		}
	}
	if s.granted(t) != 0 {
		t.Errorf("%d were granted", s.granted(t))
	}
}

func TestFormOfOtherSiteIsRefused_D27(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	form := b.approval(elm, callback) // even with the right token
	for name, header := range map[string]http.Header{
		"fetch metadata":         {"Sec-Fetch-Site": {"cross-site"}},
		"another host near by":   {"Sec-Fetch-Site": {"same-site"}},
		"an older browser":       {"Origin": {"https://evil.example"}},
		"a sandboxed frame":      {"Origin": {"null"}},
		"the same host, by http": {"Origin": {"http://127.0.0.1:1"}},
	} {
		for path, form := range map[string]url.Values{
			"/elm-street/staff/authorise":      form,
			"/elm-street/staff/authorisations": form,
			"/elm-street/staff/sign-out":       form,
			"/elm-street/staff/sign-in":        {"username": {"dr.may"}, "password": {password}}, // nor is anyone signed in to another account
		} {
			b.header = header
			answer := b.post(path, form)
			answer.wants(t, http.StatusForbidden, "", "submitted from another website")
			if len(answer.Cookies()) > 0 {
				t.Errorf("%s, %s: a cookie was set", name, path)
			}
		}
	}
	b.header = http.Header{"Sec-Fetch-Site": {"same-origin"}}
	b.post("/elm-street/staff/authorise", form).wants(t, http.StatusSeeOther, callback+"?username=dr.lee&expiresAt=2026-07-02T00%3A00%3A00Z", "")
	if s.granted(t) != 1 {
		t.Errorf("%d were granted", s.granted(t))
	}
}

func TestFormTokenFitsItsSession_D27(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	old := b.approval(elm, callback)
	other := b.approval(elm, "frontdesk-app://callback")
	b.signIn(elm, "dr.lee") // a new session

	stale := func(name string, form url.Values) {
		t.Helper()
		answer := b.post("/elm-street/staff/authorise", form)
		if answer.StatusCode != http.StatusForbidden || !strings.Contains(answer.body, "out of date") {
			t.Errorf("%s: %s", name, answer.Status)
		}
	}
	stale("a form of the last session", old)
	fresh := b.approval(elm, callback)
	for name, token := range map[string]string{
		"no token": "", "made up": "x", "for another callback": b.approval(elm, "frontdesk-app://callback").Get("token"),
		"the last session's": other.Get("token"), "for signing out": b.get("/elm-street/staff/authorisations").form(t, "/elm-street/staff/sign-out").Get("token"),
	} {
		form := maps.Clone(fresh)
		form.Set("token", token)
		stale(name, form)
	}
	colleague := s.browser(t)
	colleague.signIn(elm, "dr.may")
	if answer := colleague.post("/elm-street/staff/authorise", fresh); answer.StatusCode != http.StatusForbidden {
		t.Errorf("a colleague's form: %s", answer.Status)
	}
	b.post("/elm-street/staff/sign-out", url.Values{}).wants(t, http.StatusForbidden, "", "out of date")
	b.post("/elm-street/staff/authorisations", fresh).wants(t, http.StatusForbidden, "", "out of date")
	if s.granted(t) != 0 {
		t.Errorf("%d were granted", s.granted(t))
	}
}

// sessionCookie is the session's cookie that an answer sets.
func sessionCookie(t *testing.T, answer seen) *http.Cookie {
	t.Helper()
	return cookie(t, answer, "frontdesk-")
}

// cookie is the one cookie of a kind that an answer sets.
func cookie(t *testing.T, answer seen, kind string) *http.Cookie {
	t.Helper()
	var found []*http.Cookie
	for _, c := range answer.Cookies() {
		if strings.HasPrefix(strings.TrimPrefix(c.Name, "__Host-"), kind) {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s sets %d cookies called %s…", answer.Request.URL.Path, len(found), kind)
	}
	return found[0]
}

func TestSignInPreventsSessionFixation_D27(t *testing.T) {
	t.Parallel()
	s := newService(t)
	victim, attacker := s.browser(t), s.browser(t)
	before := sessionCookie(t, attacker.signIn(elm, "dr.may"))

	victim.header.Set("Cookie", before.Name+"="+before.Value) // planted
	after := sessionCookie(t, victim.signIn(elm, "dr.lee"))
	if after.Value == before.Value || after.Value == "" {
		t.Error("the planted session was kept")
	}
	attacker.get("/elm-street/staff/authorisations").wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=authorisations", "")

	victim.header.Set("Cookie", before.Name+"=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	if made := sessionCookie(t, victim.signIn(elm, "dr.lee")); made.Value == "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" {
		t.Error("a session of the browser's own making was taken")
	}
}

func TestSignOutEndsStolenSession_D27(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, thief := s.browser(t), s.browser(t)
	cookie := sessionCookie(t, b.signIn(elm, "dr.lee"))
	thief.header.Set("Cookie", cookie.Name+"="+cookie.Value)
	thief.get("/elm-street/staff/authorisations").wants(t, http.StatusOK, "", "Dr Lee")
	form := b.approval(elm, callback)

	out := b.post("/elm-street/staff/sign-out", b.get("/elm-street/staff/authorisations").form(t, "/elm-street/staff/sign-out"))
	out.wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?signed-out", "")
	if gone := sessionCookie(t, out); gone.MaxAge >= 0 || gone.Value != "" {
		t.Errorf("the cookie stays: %v", gone)
	}
	b.get("/elm-street/staff/sign-in?signed-out").wants(t, http.StatusOK, "", "You have signed out")
	thief.get("/elm-street/staff/authorisations").wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=authorisations", "")
	answer := thief.post("/elm-street/staff/authorise", form)
	if s.granted(t) != 0 || answer.StatusCode != http.StatusSeeOther {
		t.Errorf("%s, %d granted", answer.Status, s.granted(t))
	}
}

func TestSessionOfOtherPracticeIsRefused_D27(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	cookie := sessionCookie(t, b.signIn(oak, "dr.lee"))
	form := b.approval(oak, callback)
	b.get("/elm-street/staff/authorisations").wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=authorisations", "")
	for _, name := range []string{cookie.Name, "frontdesk-elm-street"} {
		b.header.Set("Cookie", name+"="+cookie.Value)
		b.get("/elm-street/staff/authorisations").wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=authorisations", "")
		if answer := b.post("/elm-street/staff/authorise", form); !strings.HasPrefix(answer.Header.Get("Location"), "/elm-street/staff/sign-in") {
			t.Errorf("%s: %s to %s", name, answer.Status, answer.Header.Get("Location"))
		}
	}
	if s.granted(t) != 0 {
		t.Errorf("%d were granted", s.granted(t))
	}
}

func TestSessionPagesExpire_D27(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	form := b.approval(elm, callback)
	s.Pass(31 * time.Minute)
	// Signing in returns to the page that asks; nothing is approved in between.
	b.post("/elm-street/staff/authorise", form).wants(t, http.StatusSeeOther,
		strings.Replace(s.ask(elm, callback), "/authorise", "/sign-in", 1), "")
	if s.granted(t) != 0 {
		t.Errorf("%d were granted", s.granted(t))
	}
}

func TestPagesEscapeNames(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const evil = `<script>alert(1)</script>"><b>`
	s.register(t, elm, evil, evil, false)
	app := s.registerApplication(t, evil, callback)
	s.grant(t, app)
	s.enable(t, elm, app)
	s.app = app
	b := s.browser(t)
	pages := []seen{b.post("/elm-street/staff/sign-in", url.Values{"username": {evil}, "password": {"wrong password"}})}
	b.signIn(elm, evil)
	pages = append(pages, b.get(s.ask(elm, callback+`?"><script>`)), b.get(s.ask(elm, callback+"?%22%3E%3Cscript%3E")))
	b.approve(elm, callback)
	pages = append(pages, b.get("/elm-street/staff/authorisations"))
	for _, page := range pages {
		if strings.Contains(ourScript.ReplaceAllString(page.body, ""), "<script") || strings.Contains(page.body, "<b>") {
			t.Errorf("%s shows markup:\n%s", page.Request.URL, page.body)
		}
	}
}
