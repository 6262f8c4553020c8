package staffweb_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func try(username, password string) url.Values {
	return url.Values{"username": {username}, "password": {password}}
}

const wrongAnswer = "Incorrect username or password."

// The answer does not reveal which names exist (D27).
func TestRefusalIsEqualForEveryName_D27(t *testing.T) {
	t.Parallel()
	s := newService(t)
	unhashed := s.registerApplication(t, "unused", callback) // an identifier is no username either
	var first string
	for _, username := range []string{"dr.lee", "nobody", "DR.LEE", unhashed.String(), "dr.lee ", "' OR 1=1 --", "\x00", "\xff\xfe"} {
		b := s.browser(t)
		var answers []string
		for n := range 6 {
			answer := b.post("/elm-street/staff/sign-in", try(username, "not the password"))
			answer.wants(t, map[bool]int{true: http.StatusTooManyRequests, false: http.StatusBadRequest}[n >= 4], "", wrongAnswer)
			if len(answer.Cookies()) > 0 {
				t.Errorf("%q: a cookie was set", username)
			}
			answers = append(answers, answer.Status, answer.Header.Get("Retry-After"), blank(answer.body))
		}
		if first == "" {
			first = strings.Join(answers, "\n")
		}
		if diff := cmp.Diff(first, strings.Join(answers, "\n")); diff != "" {
			t.Errorf("%q is answered differently (-dr.lee +%q):\n%s", username, username, diff)
		}
	}
}

// blank removes the typed values, which the page repeats.
func blank(page string) string {
	before, rest, _ := strings.Cut(page, `name="username" type="text" value="`)
	_, after, _ := strings.Cut(rest, `" required`)
	return before + after
}

func TestLockedAccountShowsWait_D27(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	for range 5 {
		b.post("/elm-street/staff/sign-in", try("dr.lee", "not the password"))
	}
	s.Pass(15 * time.Second)
	answer := b.post("/elm-street/staff/sign-in", try("dr.lee", password))
	answer.wants(t, http.StatusTooManyRequests, "", wrongAnswer+" You have tried too often: you can try again in 45 seconds.")
	if answer.Header.Get("Retry-After") != "45" {
		t.Errorf("Retry-After: %s", answer.Header.Get("Retry-After"))
	}
	s.Pass(45 * time.Second)
	b.signIn(elm, "dr.lee")
}

func TestFaultsAreAtFieldsAndInTitle(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	for _, c := range []struct {
		form url.Values
		want []string
	}{
		{try("", ""), []string{`href="#username">Enter your username`, `href="#password">Enter your password`, `id="username-fault"`, `id="password-fault"`}},
		{try("dr.lee", ""), []string{`href="#password">Enter your password`, `value="dr.lee"`}},
		{try("", "secret words"), []string{`href="#username">Enter your username`}},
		{try("dr.lee", "secret words"), []string{`href="#username">` + wrongAnswer, `aria-describedby="username-fault"`, `aria-invalid="true"`}},
	} {
		answer := b.post("/elm-street/staff/sign-in", c.form)
		for _, want := range append(c.want, "<title>Error: Sign in</title>", "There is a problem") {
			answer.wants(t, http.StatusBadRequest, "", want)
		}
		if strings.Contains(answer.body, "secret words") {
			t.Error("the page repeats the password")
		}
	}
}

func TestSignInRedirectsOnlyToOwnPages(t *testing.T) {
	t.Parallel()
	s := newService(t)
	evil := url.Values{"next": {"https://evil.example"}, "redirect": {"https://evil.example/callback"}, "app": {s.app.String()}}
	maps.Copy(evil, try("dr.lee", password))
	b := s.browser(t)
	answer := b.post("/elm-street/staff/sign-in", evil)
	location := answer.Header.Get("Location")
	if !strings.HasPrefix(location, "/elm-street/staff/authorise?") {
		t.Fatalf("%s to %s", answer.Status, location)
	}
	b.get(location).wants(t, http.StatusBadRequest, "", "registered")
	b.get("/elm-street/staff/sign-in").wants(t, http.StatusSeeOther, "/elm-street/staff", "") // a signed-in member does not see the form
}

func TestLogHoldsNoNamesAndPasswords(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.post("/elm-street/staff/sign-in", try("my secret password", "typed in the wrong field"))
	cookie := sessionCookie(t, b.signIn(elm, "dr.lee"))
	b.approve(elm, callback+"?state=secret-state")
	logged := s.watched.String()
	for _, secret := range []string{"my secret", "typed in", password, "dr.lee", "Dr Lee", "secret-state", cookie.Value} {
		if strings.Contains(logged, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
	for _, want := range []string{`"outcome":"refused"`, `"outcome":"signed-in"`, `"source":"127.0.0.1"`, `"page":"authorise"`} {
		if !strings.Contains(logged, want) {
			t.Errorf("the log lacks %s:\n%s", want, logged)
		}
	}
}
