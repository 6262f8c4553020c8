package staffweb_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"frontdesk/adapters/staffweb"
)

func TestHTTPSCookiesAreHostOnlyAndSecure_D27(t *testing.T) {
	t.Parallel()
	plain := newService(t)
	cookie := sessionCookie(t, plain.browser(t).signIn(elm, "dr.lee"))
	if cookie.Name != "frontdesk-elm-street" || cookie.Path != "/elm-street/staff" || !cookie.HttpOnly || cookie.Secure ||
		cookie.SameSite != http.SameSiteLaxMode || cookie.Domain != "" || cookie.MaxAge != 0 {
		t.Errorf("by http: %v", cookie)
	}
	secure := newService(t, func(p *staffweb.Pages) { p.URL, _ = staffweb.ParseURL("https://auth.example") })
	answer := secure.browser(t).signIn(elm, "dr.lee")
	cookie = sessionCookie(t, answer)
	if cookie.Name != "__Host-frontdesk-elm-street" || cookie.Path != "/" || !cookie.HttpOnly || !cookie.Secure ||
		cookie.SameSite != http.SameSiteLaxMode || cookie.Domain != "" {
		t.Errorf("by https: %v", cookie)
	}
	if transport := answer.Header.Get("Strict-Transport-Security"); transport != "max-age=31536000" {
		t.Errorf("browsers may come back without TLS: %q", transport)
	}
	below := newService(t, func(p *staffweb.Pages) { p.URL, p.HSTSSubdomains = secure.pages.URL, true })
	if transport := below.browser(t).get("/nowhere").Header.Get("Strict-Transport-Security"); transport != "max-age=31536000; includeSubDomains" {
		t.Errorf("with the names below: %q", transport)
	}
}

func TestAnswersSetSecurityHeaders_D27(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	paths := []string{"/elm-street/staff/sign-in", "/elm-street/staff/authorise", "/elm-street/staff/authorisations", "/nowhere", "/staff/style.css"}
	for _, path := range paths {
		answer := b.get(path)
		policy := answer.Header.Get("Content-Security-Policy")
		for _, directive := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
			if !strings.Contains(policy, directive) {
				t.Errorf("%s: the policy %q lacks %s", path, policy, directive)
			}
		}
		scripted := path == "/elm-street/staff/sign-in"
		if strings.Contains(policy, "unsafe") || strings.Contains(strings.TrimSuffix(policy, "; script-src 'self'; connect-src 'self'"), "script") {
			t.Errorf("%s: the policy %q lets code in", path, policy)
		}
		if may := strings.HasSuffix(answer.Header.Get("Permissions-Policy"), "publickey-credentials-get=(self)"); may != scripted || strings.Contains(policy, "script") != scripted {
			t.Errorf("%s: passkeys are allowed: %t, with the policy %q; want %t", path, may, policy, scripted)
		}
		for name, want := range map[string]string{
			"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
		} {
			if got := answer.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if cache := answer.Header.Get("Cache-Control"); path != "/staff/style.css" && cache != "no-store" {
			t.Errorf("%s: a browser may keep it: %q", path, cache)
		}
		if strings.Contains(ourScript.ReplaceAllString(answer.body, ""), "<script") || strings.Contains(answer.body, "style=") || strings.Contains(answer.body, " on") && strings.Contains(answer.body, "onclick") {
			t.Errorf("%s has inline code", path)
		}
	}
}

// ourScript is how a page names the one script of ours.
var ourScript = regexp.MustCompile(`<script src="/staff/(?:passkey|session)\.js\?[0-9a-f]+" defer></script>`)
