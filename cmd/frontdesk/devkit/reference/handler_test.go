package reference_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/devkit/reference"
)

const (
	host = "127.0.0.1:8080"
	own  = "http://" + host
)

var ids = reference.IDs{
	Patient: "01990000-0000-7000-8000-0000000000a1", Site: "01990000-0000-7000-8000-0000000000a2",
	Room: "01990000-0000-7000-8000-0000000000a3", Appointment: "01990000-0000-7000-8000-0000000000a4",
}

func newHandler(t *testing.T) *reference.Handler {
	t.Helper()
	h := &reference.Handler{}
	err := h.Show(reference.Sandbox{
		URL: own, Users: []string{"ann.lee"}, IDs: ids,
		Mint: func(username string) (string, error) { return "token-for-" + username, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ask sends a request with the headers that edit sets.
func ask(h http.Handler, method, path, body string, edit func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = host
	r.Header.Set("Content-Type", "application/json")
	if edit != nil {
		edit(r)
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, r)
	return answer
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// A sandbox serves the documents, their pictures and the index of the search.
func TestDocumentsAreServed_D176(t *testing.T) {
	t.Parallel()
	h := newHandler(t)
	for name, want := range map[string]struct {
		status int
		kind   string
	}{
		"guides/":                          {http.StatusOK, "text/html; charset=utf-8"},
		"guides/decisions/":                {http.StatusOK, "text/html; charset=utf-8"},
		"guides/practice/inbox.png":        {http.StatusOK, "image/png"},
		"guides/operate/haproxy.cfg":       {http.StatusOK, "text/plain; charset=utf-8"},
		"guides/search-index.js":           {http.StatusOK, "text/javascript; charset=utf-8"},
		"guides/operate/roles.go":          {http.StatusNotFound, "text/plain; charset=utf-8"},
		"guides/../../../etc/passwd":       {http.StatusNotFound, "text/plain; charset=utf-8"},
		"guides/operate/no-such-page.html": {http.StatusNotFound, "text/plain; charset=utf-8"},
	} {
		got := ask(h, "GET", "/docs/"+name, "", nil)
		if got.Code != want.status || got.Header().Get("Content-Type") != want.kind {
			t.Errorf("%s is answered %d, %s", name, got.Code, got.Header().Get("Content-Type"))
		}
	}
}

// Another web page must not come by a token, whatever it lets the browser do.
func TestOnlyTheSandboxItselfIsGivenTokens_D98(t *testing.T) {
	t.Parallel()
	h := newHandler(t)
	for name, test := range map[string]struct {
		method, body string
		edit         func(*http.Request)
		want         int
	}{
		"the page itself":               {"POST", `{}`, func(r *http.Request) { header("Origin", own)(r); header("Sec-Fetch-Site", "same-origin")(r) }, 200},
		"an older browser":              {"POST", `{"sub":"ann.lee"}`, header("Origin", own), 200},
		"no browser at all":             {"POST", `{}`, nil, 200},
		"another page":                  {"POST", `{}`, header("Origin", "http://evil.example"), 403},
		"another page, as browsers say": {"POST", `{}`, header("Sec-Fetch-Site", "cross-site"), 403},
		"another port of this machine": {"POST", `{}`, func(r *http.Request) {
			header("Origin", "http://127.0.0.1:3000")(r)
			header("Sec-Fetch-Site", "same-site")(r)
		}, 403},
		"a page without an origin": {"POST", `{}`, header("Origin", "null"), 403},
		"a form":                   {"POST", `sub=`, header("Content-Type", "application/x-www-form-urlencoded"), 415},
		"text":                     {"POST", `{}`, header("Content-Type", "text/plain"), 415},
		"a name that leads here":   {"POST", `{}`, func(r *http.Request) { r.Host = "evil.example:8080" }, 421},
		"a practice's name":        {"POST", `{}`, func(r *http.Request) { r.Host = "elm-street.localhost:8080" }, 421},
		"localhost":                {"POST", `{}`, func(r *http.Request) { r.Host = "localhost:8080" }, 421},
		"a link":                   {"GET", ``, nil, 405},
		"a question before":        {"OPTIONS", ``, header("Origin", "http://evil.example"), 405},
		"a user whom nobody knows": {"POST", `{"sub":"nobody"}`, nil, 400},
		"no JSON":                  {"POST", `sub`, nil, 400},
		"very much":                {"POST", `{"sub":"` + strings.Repeat("a", 8<<10) + `"}`, nil, 400},
	} {
		answer := ask(h, test.method, "/docs/token", test.body, test.edit)
		if answer.Code != test.want || strings.Contains(answer.Body.String(), "token-for-") != (test.want == 200) {
			t.Errorf("%s: %d %s, want %d", name, answer.Code, answer.Body, test.want)
		}
		for name := range answer.Header() {
			if strings.HasPrefix(name, "Access-Control") {
				t.Errorf("%s: it gives leave with %s", name, name)
			}
		}
	}
}

func TestThePagesAreServedAtTheirAddressOnly_D98(t *testing.T) {
	t.Parallel()
	h := newHandler(t)
	for path, want := range map[string]int{
		"/docs": 307, "/docs/": 200, "/docs/reference.html": 200, "/docs/events.html": 200, "/docs/errors/": 200, "/docs/errors/unauthorized.html": 200,
		"/docs/openapi.json": 200, "/docs/openapi.js": 200, "/docs/swagger-ui.css": 200, "/docs/frontdesk.postman_collection.json": 200,
		"/docs/../mint.go": 404, "/docs/nothing": 404,
	} {
		answer := ask(h, "GET", path, "", nil)
		if answer.Code != want {
			t.Errorf("%s: %d, want %d", path, answer.Code, want)
		}
		policy := answer.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || answer.Header().Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s: %v", path, answer.Header())
		}
	}
	if answer := ask(h, "GET", "/docs/", "", func(r *http.Request) { r.Host = "evil.example:8080" }); answer.Code != 421 {
		t.Errorf("under a name that leads here: %d", answer.Code)
	}
	moved := ask(h, "GET", "/docs/events.html", "", func(r *http.Request) { r.Host = "localhost:8080" })
	if moved.Code != 307 || moved.Header().Get("Location") != own+"/docs/events.html" {
		t.Errorf("at localhost: %d %v", moved.Code, moved.Header())
	}
	if early := ask(&reference.Handler{}, "GET", "/docs/", "", nil); early.Code != 503 {
		t.Errorf("before the sandbox is ready: %d", early.Code)
	}
	if posted := ask(h, "POST", "/docs/", "", nil); posted.Code != 405 {
		t.Errorf("a POST to a page: %d", posted.Code)
	}
}
