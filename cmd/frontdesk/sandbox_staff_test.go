package main_test

import (
	"encoding/json"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"frontdesk/domain/staff"
)

// The sandbox's member of staff signs in, approves and comes back to the
// sandbox's application, which then calls in their name by itself (§5.4).
func TestStaffAuthoriseTheSandboxsApplication_5_4(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
	info := *s.info.Load()
	b := newVisitor(t)

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

// One person of each role signs in as the greeting says, also in a sandbox that an older
// program has seeded with one person alone (D63).
func TestTheSandboxHasAPersonOfEachRole_D63(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
	first := *s.info.Load()
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	s.forget("colleagues")
	var err error
	if s.greeting, err = os.Create(filepath.Join(t.TempDir(), "greeting")); err != nil {
		t.Fatal(err)
	}
	defer s.greeting.Close()
	s.start()
	info := *s.info.Load()
	said, err := os.ReadFile(s.greeting.Name())
	if err != nil || !strings.Contains(string(said), "\n  "+info.PagesURL()+"\n") || !strings.HasPrefix(info.PagesURL(), "http://localhost:") {
		t.Errorf("%v: it greets with\n%s", err, said)
	}
	if info.Staff != first.Staff || info.People[0] != info.Staff {
		t.Errorf("who was there is %+v, was %+v", info.People[0], first.Staff)
	}
	roles := map[staff.Role]bool{}
	for _, p := range info.People {
		roles[p.Role] = true
		line := regexp.MustCompile(`(?m)^  ` + string(p.Role) + ` +` + p.Username + ` +` + p.Password + `$`)
		if !line.Match(said) {
			t.Errorf("the greeting has no line for %s:\n%s", p.Username, said)
		}
		b := newVisitor(t)
		b.get(info.PagesURL())
		b.send(url.Values{"username": {p.Username}, "password": {p.Password}})
		b.wants(p.Name)
	}
	if len(info.People) != len(staff.AllRoles()) || len(roles) != len(staff.AllRoles()) {
		t.Errorf("there are %+v", info.People)
	}
}

// forget has the sandbox's seed know nothing of a part, as an older program has left it.
func (s *program) forget(part string) {
	s.t.Helper()
	file, seed := filepath.Join(s.dir, "seed.json"), map[string]any{}
	text, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &seed); err != nil || seed[part] == nil {
		s.t.Fatalf("%v: the seed has no %s: %s", err, part, text)
	}
	delete(seed, part)
	if text, err = json.Marshal(seed); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// visitor is somebody at a browser.
type visitor struct {
	t      *testing.T
	client *http.Client
	at     *url.URL
	page   string
}

func newVisitor(t *testing.T) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t: t, client: &http.Client{Jar: jar}}
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
