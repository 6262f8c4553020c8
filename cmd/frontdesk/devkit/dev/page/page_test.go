package page_test

import (
	"context"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk.example/client"
	"frontdesk/adapters/background"
	"frontdesk/cmd/frontdesk/devkit/dev/page"
)

// served is a page that is served, and counts how often its button is pressed.
type served struct {
	*page.Site
	t       *testing.T
	changed *background.Broadcast
	state   page.State
	pressed atomic.Int32
	stop    func()
}

func serve(t *testing.T) *served {
	t.Helper()
	s := &served{t: t, changed: &background.Broadcast{}, state: page.State{Name: "Triage <Helper>"}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s.Site = &page.Site{
		Address: listener.Addr().String(), Key: "the-key", Changed: s.changed, State: func(context.Context) page.State { return s.state },
		Acts:   map[string]page.Act{"reset": func(url.Values) { s.pressed.Add(1) }},
		KeySet: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"keys":[]}`) }),
	}
	server := httptest.NewUnstartedServer(s.Handler())
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	s.stop = server.Close
	t.Cleanup(server.Close)
	return s
}

// visitor is a browser that has opened the printed address.
func (s *served) visitor() *http.Client {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	must(s.t, err)
	client := &http.Client{Jar: jar}
	if status, _ := s.do(client, http.MethodGet, s.URL(), nil); status != http.StatusOK {
		s.t.Fatalf("the printed address is answered %d", status)
	}
	return client
}

// do sends a form, or asks; change alters the request first.
func (s *served) do(client *http.Client, method, address string, form url.Values, change ...func(*http.Request)) (int, string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, address, strings.NewReader(form.Encode()))
	must(s.t, err)
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, alter := range change {
		alter(request)
	}
	answer, err := client.Do(request)
	must(s.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(s.t, err)
	return answer.StatusCode, string(text)
}

var tokenField = regexp.MustCompile(`name="token" value="([^"]+)"`)

// form is the form of the page's own button.
func (s *served) form(client *http.Client) url.Values {
	s.t.Helper()
	_, text := s.do(client, http.MethodGet, s.here("/"), nil)
	found := tokenField.FindStringSubmatch(text)
	if found == nil {
		s.t.Fatalf("the page has no token:\n%s", text)
	}
	return url.Values{"token": {html.UnescapeString(found[1])}}
}

func (s *served) here(path string) string { return "http://" + s.Address + path }

// Another page in the same browser cannot press a button: not by a form, not by a script,
// not by a name of its own that leads here (DNS rebinding), not with the token of its own.
func TestStrangersPressNoButton_D97(t *testing.T) {
	t.Parallel()
	s := serve(t)
	browser := s.visitor() // its cookie goes along, as if a browser were careless
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	named := func(host string) func(*http.Request) {
		return func(r *http.Request) { r.Host = host }
	}
	_, port, _ := net.SplitHostPort(s.Address)
	good := s.form(browser)
	for name, attack := range map[string]struct {
		form   url.Values
		change func(*http.Request)
		want   int
	}{
		"a form of another site":               {good, set("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		"of another port":                      {good, set("Sec-Fetch-Site", "same-site"), http.StatusForbidden},
		"of an older browser":                  {good, set("Origin", "http://evil.example"), http.StatusForbidden},
		"of a page in a sandbox":               {good, set("Origin", "null"), http.StatusForbidden},
		"of another scheme":                    {good, set("Origin", "https://"+s.Address), http.StatusForbidden},
		"of another port, in older browsers":   {good, set("Origin", "http://127.0.0.1:1"), http.StatusForbidden},
		"without the token":                    {nil, set("Sec-Fetch-Site", "same-origin"), http.StatusForbidden},
		"with a made-up token":                 {url.Values{"token": {"x"}}, set("Sec-Fetch-Site", "same-origin"), http.StatusForbidden},
		"by a name that was made to lead here": {good, named("evil.example:" + port), http.StatusMisdirectedRequest},
		"by such a name and its own origin": {good, func(r *http.Request) {
			r.Host = "evil.example:" + port
			r.Header.Set("Origin", "http://evil.example:"+port)
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		}, http.StatusMisdirectedRequest},
		"by an address without its port": {good, named("127.0.0.1"), http.StatusMisdirectedRequest},
	} {
		if status, text := s.do(browser, http.MethodPost, s.here("/do/reset"), attack.form, attack.change); status != attack.want {
			t.Errorf("%s: answered %d: %s", name, status, text)
		}
	}
	if status, text := s.do(http.DefaultClient, http.MethodPost, s.here("/do/reset"), good); status != http.StatusForbidden {
		t.Errorf("without the cookie: answered %d: %s", status, text)
	}
	if status, _ := s.do(browser, http.MethodGet, s.here("/do/reset"), nil); status != http.StatusMethodNotAllowed {
		t.Errorf("a link that presses: answered %d", status)
	}
	if pressed := s.pressed.Load(); pressed != 0 {
		t.Fatalf("the button was pressed %d times", pressed)
	}
	for _, change := range []func(*http.Request){set("Origin", "http://"+s.Address), set("Sec-Fetch-Site", "same-origin")} {
		if status, text := s.do(browser, http.MethodPost, s.here("/do/reset"), good, change); status != http.StatusOK {
			t.Errorf("the page's own button: answered %d: %s", status, text)
		}
	}
	if pressed := s.pressed.Load(); pressed != 2 {
		t.Errorf("the page's own button was pressed %d times", pressed)
	}
}

// Without the printed address the page cannot be read, under any name.
func TestStrangersCannotReadThePage_D97(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, path := range []string{"/", "/events", "/?key=x", "/?key="} {
		if status, text := s.do(http.DefaultClient, http.MethodGet, s.here(path), nil); status != http.StatusForbidden || strings.Contains(text, "Triage") {
			t.Errorf("%s is answered %d: %s", path, status, text)
		}
	}
	browser := s.visitor()
	status, text := s.do(browser, http.MethodGet, s.here("/"), nil, func(r *http.Request) { r.Host = "evil.example" })
	if status != http.StatusMisdirectedRequest || strings.Contains(text, "Triage") {
		t.Errorf("by another name: answered %d: %s", status, text)
	}
	if status, text := s.do(browser, http.MethodGet, s.here("/"), nil); status != http.StatusOK || !strings.Contains(text, "Triage &lt;Helper&gt;") {
		t.Errorf("with the cookie: answered %d: %s", status, text)
	}
}

// The address that a browser is started with is seen by others, so it holds once.
func TestAnAddressForABrowserHoldsOnce_D97(t *testing.T) {
	t.Parallel()
	s := serve(t)
	once := s.URLOnce("once")
	jar, err := cookiejar.New(nil)
	must(t, err)
	if status, _ := s.do(&http.Client{Jar: jar}, http.MethodGet, once, nil); status != http.StatusOK {
		t.Errorf("the first time: answered %d", status)
	}
	if status, _ := s.do(http.DefaultClient, http.MethodGet, once, nil); status != http.StatusForbidden {
		t.Errorf("the second time: answered %d", status)
	}
}

// No script but our own runs, and no frame shows the page.
func TestThePageIsHardened_D97(t *testing.T) {
	t.Parallel()
	s := serve(t)
	answer, err := s.visitor().Get(s.here("/"))
	must(t, err)
	defer answer.Body.Close()
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		"X-Frame-Options":         "DENY", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	if inline := regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|<script(?:[^>]*)>[^<]`).Find(text); inline != nil {
		t.Errorf("the page has something inline: %s", inline)
	}
}

// The service has no key to the page, and reads the key set all the same.
func TestTheKeySetIsForEverybody_D97(t *testing.T) {
	t.Parallel()
	s := serve(t)
	if status, text := s.do(http.DefaultClient, http.MethodGet, s.here(page.KeySetPath), nil); status != http.StatusOK || text != `{"keys":[]}` {
		t.Errorf("answered %d: %s", status, text)
	}
}

// Text of others is text on the page, never markup.
func TestForeignTextIsNoMarkup_D97(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const evil = `<img src=x onerror=alert(1)>"'&`
	s.state.Calls = []client.JudgedCall{{RequestID: evil, Endpoint: evil, Code: client.Code(evil), Description: evil, Rule: evil, Status: 401}}
	s.state.Lines = []page.Line{{Text: evil, Wrong: true}}
	s.state.Away = evil
	_, text := s.do(s.visitor(), http.MethodGet, s.here("/"), nil)
	if strings.Contains(text, "<img") || strings.Count(text, "&lt;img") < 6 {
		t.Errorf("the page is\n%s", text)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
