package testworld

import (
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

// Browser reads staff pages as a browser without script does: it keeps cookies, follows
// redirections and fills in forms.
type Browser struct {
	URL  *url.URL // of the page that it shows
	Page string   // its HTML, unescaped

	tb     testing.TB
	client *http.Client
}

// NewBrowser returns a browser without cookies.
func NewBrowser(tb testing.TB) *Browser {
	tb.Helper()
	jar, err := cookiejar.New(nil)
	Must(tb, err)
	return &Browser{tb: tb, client: &http.Client{Jar: jar}}
}

// SignIn opens a staff page of a practice, such as "day", as a member of staff.
func (w *World) SignIn(tenant, username, page string) *Browser {
	w.tb.Helper()
	b := NewBrowser(w.tb)
	b.Open(w.URL() + "/" + tenant + "/staff/" + page)
	b.Send(url.Values{"username": {username}, "password": {Password}})
	return b
}

// Open opens an address.
func (b *Browser) Open(address string) {
	b.tb.Helper()
	r, err := http.NewRequestWithContext(b.tb.Context(), http.MethodGet, address, http.NoBody)
	Must(b.tb, err)
	b.visit(r)
}

func (b *Browser) visit(r *http.Request) {
	b.tb.Helper()
	answer, err := b.client.Do(r)
	Must(b.tb, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	Must(b.tb, err)
	b.URL, b.Page = answer.Request.URL, html.UnescapeString(string(body))
}

var (
	forms  = regexp.MustCompile(`(?s)<main.*?<form[^>]* action="([^"]*)"(.*?)</form>`)
	hidden = regexp.MustCompile(`type="hidden" name="(\w+)" value="([^"]*)"`)
)

// Send fills in the first form of the page's main part, and sends it.
func (b *Browser) Send(fields url.Values) {
	b.tb.Helper()
	form := forms.FindStringSubmatch(b.Page)
	if form == nil {
		b.tb.Fatalf("%s has no form:\n%s", b.URL, b.Page)
	}
	filled := url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(form[2], -1) {
		filled.Set(field[1], field[2])
	}
	maps.Copy(filled, fields)
	r, err := http.NewRequestWithContext(b.tb.Context(), http.MethodPost, b.URL.ResolveReference(&url.URL{Path: form[1]}).String(), strings.NewReader(filled.Encode()))
	Must(b.tb, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	b.visit(r)
}

// Shows fails the test for each text that the page does not have.
func (b *Browser) Shows(texts ...string) {
	b.tb.Helper()
	for _, text := range texts {
		if !strings.Contains(b.Page, text) {
			b.tb.Errorf("%s lacks %q:\n%s", b.URL, text, b.Page)
		}
	}
}
