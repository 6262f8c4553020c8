package staffweb_test

import (
	"cmp"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// browser keeps cookies and follows no redirect.
type browser struct {
	t       *testing.T
	service *service
	client  *http.Client
	header  http.Header // sent with every request
	host    string      // in place of the server's address, if it is not ""
}

func (s *service) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	transport := &http.Transport{} // closing the server of another test closes connections of the default one
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &browser{t: t, service: s, client: client, header: http.Header{}}
}

// seen is a response to a browser.
type seen struct {
	*http.Response
	body string
}

func (b *browser) do(method, path string, form url.Values) seen {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), method, b.service.URL+path, strings.NewReader(inOrder(form)))
	must(b.t, err)
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	maps.Copy(request.Header, b.header)
	request.Host = cmp.Or(b.host, request.Host)
	answer, err := b.client.Do(request)
	must(b.t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(b.t, err)
	return seen{answer, string(body)}
}

// inOrder encodes a form as a browser does: the token comes first in each of our forms.
func inOrder(form url.Values) string {
	first, rest := url.Values{}, maps.Clone(form)
	for _, name := range []string{"token", "whose"} {
		if form.Has(name) {
			first[name] = form[name]
			delete(rest, name)
		}
	}
	return strings.Trim(first.Encode()+"&"+rest.Encode(), "&")
}

func (b *browser) get(path string) seen { b.t.Helper(); return b.do(http.MethodGet, path, nil) }

func (b *browser) post(path string, form url.Values) seen {
	b.t.Helper()
	return b.do(http.MethodPost, path, form)
}

func (b *browser) signIn(tenant, username string) seen {
	b.t.Helper()
	answer := b.post("/"+tenant+"/staff/sign-in", url.Values{"username": {username}, "password": {password}})
	if answer.StatusCode != http.StatusSeeOther {
		b.t.Fatalf("%s was not signed in: %s\n%s", username, answer.Status, answer.body)
	}
	return answer
}

// form is the hidden fields of the page's form for an action.
func (s seen) form(t *testing.T, action string) url.Values {
	t.Helper()
	_, rest, found := strings.Cut(s.body, `action="`+action+`"`)
	if !found {
		t.Fatalf("%s: no form for %s:\n%s", s.Request.URL, action, s.body)
	}
	rest, _, _ = strings.Cut(rest, "</form>")
	return hiddenIn(rest)
}

// hiddenIn is the hidden fields of a form.
func hiddenIn(block string) url.Values {
	form := url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(block, -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	return form
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([\w-]+)" value="([^"]*)">`)

// approval returns the form to approve from the authorisation page.
func (b *browser) approval(tenant, redirect string) url.Values {
	b.t.Helper()
	form := b.get(b.service.ask(tenant, redirect)).form(b.t, "/"+tenant+"/staff/authorise")
	form.Set("decision", "approve")
	return form
}

// approve opens the authorisation page and approves.
func (b *browser) approve(tenant, redirect string) seen {
	b.t.Helper()
	return b.post("/"+tenant+"/staff/authorise", b.approval(tenant, redirect))
}

// wants checks an answer: its status, its redirect ("" for none) and a text on the
// page.
func (s seen) wants(t *testing.T, status int, location, text string) {
	t.Helper()
	if s.StatusCode != status || s.Header.Get("Location") != location || !strings.Contains(s.body, text) {
		t.Errorf("%s %s: got %s to %q, want %d to %q with %q\n%s", s.Request.Method, s.Request.URL.Path,
			s.Status, s.Header.Get("Location"), status, location, text, s.body)
	}
}
