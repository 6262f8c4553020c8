package staffweb_test

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/staffweb"
)

// visibleText returns the whole of an answer without the typed values.
func visibleText(answer seen, typed ...string) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(answer.Header)) {
		if name != "X-Request-Id" && name != "Date" && name != "Content-Length" {
			lines = append(lines, fmt.Sprintf("%s: %q", name, answer.Header[name]))
		}
	}
	whole := answer.Status + "\n" + strings.Join(lines, "\n") + "\n" + answer.body
	for _, word := range typed {
		whole = strings.ReplaceAll(whole, word, "…")
	}
	return whole
}

// Without a session no answer reveals whether a practice exists, whatever the request
// (D25).
func TestStrangerAnswerRevealsNoPractice_D25(t *testing.T) {
	t.Parallel()
	s := newService(t)
	form := try("dr.lee", "not the password")
	for _, c := range []struct {
		method, path string
		form         url.Values
	}{
		{http.MethodGet, "", nil},
		{http.MethodGet, "/", nil},
		{http.MethodGet, "/sign-in", nil},
		{http.MethodGet, "/sign-in?signed-out", nil},
		{http.MethodGet, "/sign-in?app=" + s.app.String() + "&redirect=" + callback, nil},
		{http.MethodPost, "/sign-in", url.Values{}},
		{http.MethodPost, "/sign-in", form},
		{http.MethodPost, "/sign-in", form},
		{http.MethodPost, "/sign-in", form},
		{http.MethodPost, "/sign-in", form},
		{http.MethodPost, "/sign-in", form}, // the fifth: one minute to wait
		{http.MethodPost, "/sign-in", form},
		{http.MethodGet, "/authorise?app=" + s.app.String() + "&redirect=" + callback, nil},
		{http.MethodPost, "/authorise", url.Values{"decision": {"approve"}, "app": {s.app.String()}, "redirect": {callback}}},
		{http.MethodGet, "/authorisations", nil},
		{http.MethodPost, "/authorisations", url.Values{"application": {s.app.String()}, "username": {"dr.lee"}}},
		{http.MethodPost, "/sign-out", url.Values{}},
		{http.MethodGet, "/sign-out", nil},
		{http.MethodDelete, "/authorise", nil},
		{http.MethodGet, "/nowhere", nil},
	} {
		for _, shown := range []string{"", strings.Repeat("A", 43)} { // no session, and an invalid one
			var first string
			for _, tenant := range []string{elm, "no-such-practice"} {
				b := s.browser(t)
				if shown != "" {
					b.header.Set("Cookie", "frontdesk-"+tenant+"="+shown+"; frontdesk.device-"+tenant+"="+shown)
				}
				answer := visibleText(b.do(c.method, "/"+tenant+"/staff"+c.path, c.form), tenant)
				if strings.Contains(answer, "Elm Street Surgery") || strings.Contains(answer, "Triage") {
					t.Errorf("%s %s tells a name:\n%s", c.method, c.path, answer)
				}
				if first == "" {
					first = answer
				}
				if diff := cmp.Diff(first, answer); diff != "" {
					t.Errorf("%s %s tells whether there is such a practice:\n%s", c.method, c.path, diff)
				}
			}
		}
	}
}

// A link of an application gets the same answer, valid or not, until the browser has a
// session (D25).
func TestStrangerAnswerRevealsNoApplication_D25(t *testing.T) {
	t.Parallel()
	s := newService(t)
	notEnabled := s.registerApplication(t, "Not Enabled", callback)
	link := func(app, redirect string) string {
		return "/elm-street/staff/authorise?" + url.Values{"app": {app}, "redirect": {redirect}}.Encode()
	}
	var first string
	for n, ask := range [][2]string{
		{s.app.String(), callback}, {notEnabled.String(), callback}, {"0190c7a2-0000-7000-8000-000000000000", callback}, {"triage", callback},
		{s.app.String(), "https://evil.example/callback"}, {s.app.String(), "javascript:alert(1)"}, {"", ""}, {s.app.String(), ""},
	} {
		b := s.browser(t)
		to := b.get(link(ask[0], ask[1]))
		page := b.get(to.Header.Get("Location"))
		form := page.form(t, "/elm-street/staff/sign-in")
		if got := [2]string{form.Get("app"), form.Get("redirect")}; got != ask {
			t.Errorf("%q: the sign-in page carries %q on", ask, got)
		}
		wrong := maps.Clone(form)
		maps.Copy(wrong, try(fmt.Sprintf("nobody%d", n), "not the password"))
		typed := []string{
			"app=" + url.QueryEscape(ask[0]), "redirect=" + url.QueryEscape(ask[1]),
			fmt.Sprintf("nobody%d", n), `name="app" value="` + html.EscapeString(ask[0]), `name="redirect" value="` + html.EscapeString(ask[1]),
		}
		answers := visibleText(to, typed...) + visibleText(page, typed...) + visibleText(b.post("/elm-street/staff/sign-in", wrong), typed...)
		if first == "" {
			first = answers
		}
		if diff := cmp.Diff(first, answers); diff != "" {
			t.Errorf("%q is answered differently:\n%s", ask, diff)
		}
	}
}

func TestBadLinkIsExplainedAfterSignIn_D25(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for link, text := range map[string]string{
		s.ask(elm, "https://evil.example/"):                               "not one that is registered",
		"/elm-street/staff/authorise":                                     "not complete",
		"/elm-street/staff/authorise?app=x&redirect=" + callback:          "do not know this application",
		"/elm-street/staff/authorise?app=x&app=y&redirect=" + callback:    "not complete",
		"/elm-street/staff/authorise?redirect=" + url.QueryEscape("a\nb"): "not complete",
	} {
		b := s.browser(t)
		form := b.get(b.get(link).Header.Get("Location")).form(t, "/elm-street/staff/sign-in")
		maps.Copy(form, try("dr.lee", password))
		answer := b.post("/elm-street/staff/sign-in", form)
		page := b.get(answer.Header.Get("Location"))
		if page.StatusCode < 400 || page.Header.Get("Location") != "" || !strings.Contains(page.body, text) {
			t.Errorf("%s: %s\n%s", link, page.Status, page.body)
		}
	}
}

// An older browser sends the Origin of a form, without Sec-Fetch-Site. Over http,
// anyone on the network path could have written that page (D27).
func TestFormOfOtherSchemeIsRefused_D27(t *testing.T) {
	t.Parallel()
	s := newService(t, func(p *staffweb.Pages) { p.URL, _ = staffweb.ParseURL("https://auth.example") })
	b := s.browser(t)
	b.host = "auth.example"
	for origin, want := range map[string]int{
		"http://auth.example": http.StatusForbidden, "https://auth.example": http.StatusBadRequest,
		"https://auth.example.evil.example": http.StatusForbidden, "http://evil.example": http.StatusForbidden, "null": http.StatusForbidden,
	} {
		b.header.Set("Origin", origin)
		if answer := b.post("/elm-street/staff/sign-in", url.Values{}); answer.StatusCode != want {
			t.Errorf("%s: %s, want %d", origin, answer.Status, want)
		}
	}
	b.header.Set("Sec-Fetch-Site", "same-origin")
	b.header.Set("Origin", "null") // a page that hides its origin
	if answer := b.post("/elm-street/staff/sign-in", url.Values{}); answer.StatusCode != http.StatusBadRequest {
		t.Errorf("what the browser has judged is judged again: %s", answer.Status)
	}
}

func TestNamesDoNotReverseText(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const name = "\u202eHel\u0085per\u2066" // to the left, an isolate that does not end, a control character
	app := s.registerApplication(t, name, callback)
	s.grant(t, app)
	s.enable(t, elm, app)
	s.app = app
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	page := b.get(s.ask(elm, callback))
	page.wants(t, http.StatusOK, "", "<title>Let Helper act for you? – Elm Street Surgery</title>")
	b.approve(elm, callback)
	for _, page := range []seen{page, b.get("/elm-street/staff/authorisations")} {
		before := page.body
		for strings.Contains(before, "\u202e") {
			at := strings.Index(before, "\u202e")
			if !strings.HasSuffix(before[:at], "<bdi>") || !strings.HasPrefix(before[at:], name+"</bdi>") {
				t.Errorf("a name stands alone: %q", before[max(0, at-20):at+40])
			}
			before = before[at+len(name):]
		}
	}
}
