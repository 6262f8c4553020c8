package staffweb_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"frontdesk/adapters/staffweb"
	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/staff"
)

func TestUnknownPathShowsNotFoundPage(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	for _, path := range []string{
		"/", "/nowhere", "/elm-street", "/elm-street/staff/nowhere", "/Elm-Street/staff/sign-in",
		"/elm-street/staff/authorise/", "//elm-street/staff/sign-in", "/elm-street/../oak-lane/staff/sign-in", "/staff/secret.css",
	} {
		b.get(path).wants(t, http.StatusNotFound, "", "Page not found")
	}
	for _, path := range []string{"/elm-street/staff", "/elm-street/staff/"} {
		b.get(path).wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in", "")
	}
	b.get("/elm-street/staff/sign-in?app=%zz").wants(t, http.StatusBadRequest, "", "could not read")
	b.get("/elm-street/staff/sign-out").wants(t, http.StatusMethodNotAllowed, "", "could not process your request")
	b.post("/elm-street/staff/sign-in", url.Values{"username": {strings.Repeat("x", 100_000)}}).
		wants(t, http.StatusRequestEntityTooLarge, "", "What you typed is too long")
}

func TestAssetsAreCacheable(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, member := s.browser(t), s.browser(t)
	member.signIn(elm, "dr.lee")
	for path, mediaType := range map[string]string{"/staff/style.css": "text/css; charset=utf-8", "/staff/icon.svg": "image/svg+xml", "/staff/passkey.js": "text/javascript; charset=utf-8", "/staff/session.js": "text/javascript; charset=utf-8"} {
		answer := b.get(path)
		if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != mediaType || !strings.Contains(answer.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %s, %v", path, answer.Status, answer.Header)
		}
		if !strings.Contains(b.get("/elm-street/staff/sign-in").body+member.get(account).body, path+"?") {
			t.Errorf("no page names %s with its fingerprint", path)
		}
	}
}

func TestDatabaseOutageShowsBusyPage(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	s.pool.Close()
	answer := b.get("/elm-street/staff/authorisations")
	if answer.StatusCode != http.StatusServiceUnavailable && answer.StatusCode != http.StatusInternalServerError || !strings.Contains(answer.body, "Sorry") {
		t.Errorf("%s\n%s", answer.Status, answer.body)
	}
}

// late is a password check that timed out in the queue.
type late struct{}

func (late) Check(context.Context, string, string, string) (signin.Holder, bool, error) {
	return signin.Holder{}, false, fmt.Errorf("wait to hash: %w", context.DeadlineExceeded)
}

func TestTimedOutPageShowsBusy(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.pages.Auth.Passwords = late{}
	answer := s.browser(t).post("/elm-street/staff/sign-in", try("dr.may", password))
	answer.wants(t, http.StatusServiceUnavailable, "", "Sorry, the service is busy")
	if answer.Header.Get("Retry-After") == "" {
		t.Error("nobody says when to try again")
	}
}

// left is a password check during which the browser disconnects.
type left struct{ begun chan struct{} }

func (l left) Check(ctx context.Context, _, _, _ string) (signin.Holder, bool, error) {
	close(l.begun)
	<-ctx.Done()
	return signin.Holder{}, false, fmt.Errorf("look up password: %w", ctx.Err())
}

func TestDisconnectIsNoFailure(t *testing.T) {
	t.Parallel()
	s := newService(t)
	checker := left{make(chan struct{})}
	s.pages.Auth.Passwords = checker
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-checker.begun; leave() }()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/elm-street/staff/sign-in", strings.NewReader(try("dr.lee", password).Encode()))
	must(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if answer, err := http.DefaultClient.Do(request); err == nil {
		_ = answer.Body.Close()
		t.Fatal("the browser has not gone away")
	}
	s.waitForLog(t, `"page":"sign-in"`)
	if logged := s.watched.String(); strings.Contains(logged, "ERROR") || strings.Contains(logged, "WARN") {
		t.Errorf("the log has a failure:\n%s", logged)
	}
}

func TestPagesServeOnlyTheirHost_D36(t *testing.T) {
	t.Parallel()
	at := func(address string) *staffweb.Pages {
		u, err := staffweb.ParseURL(address)
		must(t, err)
		return &staffweb.Pages{Site: &pagekit.Site{URL: u}}
	}
	sandbox := &staffweb.Pages{Site: &pagekit.Site{}}
	for _, c := range []struct {
		pages      *staffweb.Pages
		host, path string
		want       bool
	}{
		{at("https://auth.example"), "auth.example", "/elm-street/staff/authorise", true},
		{at("https://auth.example/"), "AUTH.example:443", "/anything", true},
		{at("https://auth.example"), "elm-street.api.example", "/elm-street/staff/authorise", false},
		{at("https://auth.example"), "127.0.0.1:8080", "/elm-street/staff/authorise", false},
		{at("http://127.0.0.1:8080"), "127.0.0.1:8080", "/", true},
		{sandbox, "127.0.0.1:8080", "/sandbox/staff/authorise", true},
		{sandbox, "localhost", "/sandbox/staff", true},
		{sandbox, "[::1]:8080", "/staff/style.css", true},
		{sandbox, "localhost:8080", "/transactional-api/ping", false},
		{sandbox, "sandbox.localhost", "/sandbox/staff/authorise", false},
		{sandbox, "evil.example", "/sandbox/staff/authorise", false}, // a name that was made to resolve here
	} {
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		r.Host = c.host
		if got := c.pages.Serves(r); got != c.want {
			t.Errorf("%v, %s%s: got %t, want %t", c.pages.URL, c.host, c.path, got, c.want)
		}
	}
}

func TestParseURLWantsHostOnly(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"", "auth.example", "//auth.example", "https://", "https://user@auth.example", "https://auth.example/path", "https://auth.example?x",
		"https://auth.example#x", "ftp://auth.example", "javascript:alert(1)",
	} {
		if _, err := staffweb.ParseURL(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestFooterNamesSupportContact(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.member(t, "rose", staff.Receptionist)
	s.member(t, "max", staff.Manager, staff.Receptionist)
	const manager, operator = "ask a manager at your practice", "ask the operator of this service"
	for username, want := range map[string][2]bool{"": {true, true}, "rose": {true, false}, "max": {false, true}} {
		b, page := s.browser(t), "/elm-street/staff/sign-in"
		if username != "" {
			b.signIn(elm, username)
			page = "/elm-street/staff/account"
		}
		_, footer, _ := strings.Cut(b.get(page).body, "<footer>")
		if got := [2]bool{strings.Contains(footer, manager), strings.Contains(footer, operator)}; got != want {
			t.Errorf("%q is told: %s", username, footer)
		}
	}
	refused := s.browser(t).get("/elm-street/staff/board/0190c7a2-0000-7000-8000-0000000000a1")
	refused.wants(t, http.StatusForbidden, "", "This screen is not connected")
	if strings.Contains(refused.body, "manager") {
		t.Errorf("a waiting room is told:\n%s", refused.body)
	}
}
