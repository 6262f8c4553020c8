package main_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/domain/staff"
)

// A member of staff signs in, approves and comes back to the sandbox's application, which
// then makes calls for them (§5.4).
func TestStaffAuthoriseTheSandboxsApplication_5_4(t *testing.T) {
	t.Parallel()
	s := sharedSandbox(t)
	info, person := *s.Info(), s.Info().People[1] // other tests authorise it for the first
	b := testworld.NewBrowser(t)

	b.Open(info.AuthoriseURL())
	b.Send(url.Values{"username": {person.Username}, "password": {person.Password}})
	b.Shows("Let Sandbox application act for you?")
	b.Send(url.Values{"decision": {"approve"}})
	if !strings.HasPrefix(b.URL.String(), info.Application.Callbacks[0]+"?username="+person.Username+"&expiresAt=") {
		t.Errorf("came back to %s", b.URL)
	}
	b.Shows("200 OK", `"username": "`+person.Username+`"`, `"mode": "user-restricted"`)

	b.Open(info.AuthURL + "/" + info.TenantID + "/staff/authorisations")
	b.Send(nil)
	b.Open(info.Application.Callbacks[0] + "?username=" + person.Username + "&expiresAt=x")
	b.Shows("403 Forbidden", "not currently authorised to request as the specified user")
	b.Open(info.Application.Callbacks[0] + "?error=access_denied&username=" + person.Username)
	b.Shows("You declined")
}

// One person of each role signs in with the login in the greeting. This includes a sandbox
// that an older program has seeded with only one person (D63).
func TestTheSandboxHasAPersonOfEachRole_D63(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	first := *s.Info()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	s.forget("colleagues")
	var err error
	if s.Greeting, err = os.Create(filepath.Join(t.TempDir(), "greeting")); err != nil {
		t.Fatal(err)
	}
	defer s.Greeting.Close()
	s.Start()
	info := *s.Info()
	said, err := os.ReadFile(s.Greeting.Name())
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
		b := testworld.NewBrowser(t)
		b.Open(info.PagesURL())
		b.Send(url.Values{"username": {p.Username}, "password": {p.Password}})
		b.Shows(p.Name)
	}
	if len(info.People) != len(staff.AllRoles()) || len(roles) != len(staff.AllRoles()) {
		t.Errorf("there are %+v", info.People)
	}
}

// forget removes a part from the sandbox's seed, as an older program has left it.
func (s *program) forget(part string) {
	s.t.Helper()
	file, seed := filepath.Join(s.Dir, "seed.json"), map[string]any{}
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
