package main_test

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

// The sandbox's member of staff signs in, approves and comes back to the
// sandbox's application, which then calls in their name by itself (§5.4).
func TestStaffAuthoriseTheSandboxsApplication_5_4(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
	info := *s.info.Load()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &visitor{t: t, client: &http.Client{Jar: jar}}

	b.get(info.AuthoriseURL())
	b.send(url.Values{"username": {info.Staff.Username}, "password": {info.Staff.Password}})
	b.wants("Let Sandbox application act for you?")
	b.send(url.Values{"decision": {"approve"}})
	if !strings.HasPrefix(b.at.String(), info.Application.Callbacks[0]+"?username=sam.taylor&expiresAt=") {
		t.Errorf("came back to %s", b.at)
	}
	b.wants("200 OK", `"username": "sam.taylor"`, `"mode": "user-restricted"`)

	b.get(info.AuthURL + "/" + info.TenantID + "/staff/authorisations")
	b.send(nil)
	b.get(info.Application.Callbacks[0] + "?username=sam.taylor&expiresAt=x")
	b.wants("403 Forbidden", "not currently authorised to request as the specified user")
	b.get(info.Application.Callbacks[0] + "?error=access_denied&username=sam.taylor")
	b.wants("You declined")
}

// visitor is somebody at a browser.
type visitor struct {
	t      *testing.T
	client *http.Client
	at     *url.URL
	page   string
}

func (v *visitor) get(address string) { v.t.Helper(); v.arrive(v.client.Get(address)) }

func (v *visitor) arrive(answer *http.Response, err error) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	v.at, v.page = answer.Request.URL, html.UnescapeString(string(body))
}

var (
	forms  = regexp.MustCompile(`(?s)<main.*?<form[^>]* action="([^"]*)"(.*?)</form>`)
	hidden = regexp.MustCompile(`type="hidden" name="(\w+)" value="([^"]*)"`)
)

// send fills in the form of the page's main part.
func (v *visitor) send(fields url.Values) {
	v.t.Helper()
	form := forms.FindStringSubmatch(v.page)
	if form == nil {
		v.t.Fatalf("%s has no form:\n%s", v.at, v.page)
	}
	filled := url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(form[2], -1) {
		filled.Set(field[1], field[2])
	}
	maps.Copy(filled, fields)
	v.arrive(v.client.PostForm(v.at.ResolveReference(&url.URL{Path: form[1]}).String(), filled))
}

func (v *visitor) wants(texts ...string) {
	v.t.Helper()
	for _, text := range texts {
		if !strings.Contains(v.page, text) {
			v.t.Errorf("%s lacks %q:\n%s", v.at, text, v.page)
		}
	}
}
