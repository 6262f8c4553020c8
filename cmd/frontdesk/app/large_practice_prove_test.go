//go:build prove

package app_test

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/provetest"
)

var largeTime = provetest.Pick(30*time.Second, time.Minute)

const (
	mostPage   = 100 * time.Millisecond
	leastPages = 100 // of each kind, for a p99
	// between is a user's time from one page to the next: people look at two a second at
	// most.
	between = 500 * time.Millisecond
)

// TestProveThatALargePracticeIsQuick asks for the inbox, for patients and for the day of a
// practice with 30,000 patients and 200,000 requests. Sixteen users look at two
// pages a second each.
func TestProveThatALargePracticeIsQuick(t *testing.T) { //nolint:paralleltest // it takes the machine
	l := newLarge(t)
	users := make([]*user, largeUsers)
	for n := range users {
		users[n] = &user{large: l, t: t, token: l.session(t, l.members[n]), took: map[string][]time.Duration{}}
	}
	for users[0].search("smi"); !strings.Contains(users[0].last, "Smith"); users[0].search("smi") {
		time.Sleep(time.Second) // the index of patients is loaded
	}
	for _, u := range users {
		u.search("smi")
		u.took = map[string][]time.Duration{}
	}
	var all sync.WaitGroup
	watch := clock.Start()
	for n, u := range users {
		all.Go(func() {
			time.Sleep(between * time.Duration(n) / largeUsers)
			for round := n; watch.Elapsed() < largeTime; round++ {
				u.round(round)
			}
		})
	}
	all.Wait()
	took := map[string][]time.Duration{}
	for _, u := range users {
		for page, each := range u.took {
			took[page] = append(took[page], each...)
		}
	}
	for page, each := range took {
		slices.Sort(each)
		p50, p99 := each[len(each)/2], each[len(each)*99/100]
		t.Logf("%s: %d pages, p50 %v, p99 %v, at most %v", page, len(each), p50.Round(time.Millisecond/10), p99.Round(time.Millisecond/10), each[len(each)-1].Round(time.Millisecond/10))
		provetest.Tried(t, len(each), "pages")
		if p99 > mostPage || len(each) < leastPages {
			t.Errorf("%s: p99 %v of %d pages", page, p99, len(each))
		}
	}
}

// user is a person who looks at pages.
type user struct {
	*large
	t     *testing.T
	token string
	form  string // the token of the form that searches
	last  string // the last page
	took  map[string][]time.Duration
}

// round looks at each kind of page once.
func (u *user) round(n int) {
	u.page("inbox: new", "requests", "")
	u.page("inbox: mine", "requests?tab=mine", "")
	u.page("inbox: open, urgent", "requests?tab=open&urgent=yes", "")
	u.page("inbox: done", "requests?tab=done", "")
	u.search(strings.ToLower(lastNames[n%20])[:3])
	u.search(firstNames[n%20] + " " + lastNames[n/20%20])
	at := u.sites[n%len(u.sites)].String()
	u.page("day", "day?site="+at, "")
	u.page("day: its part", "day?fragment&site="+at, "")
}

func (u *user) search(name string) {
	if u.form == "" {
		u.page("the form", "patients", "")
		_, search, _ := strings.Cut(u.last, `role="search"`)
		u.form = formToken.FindStringSubmatch(search)[1]
	}
	u.page("search", "patients", url.Values{"token": {u.form}, "name": {name}}.Encode())
}

var formToken = regexp.MustCompile(`name="token" value="([^"]+)"`)

// page asks for a page, by POST if there is a form.
func (u *user) page(what, path, form string) {
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if form != "" {
		method, body = http.MethodPost, strings.NewReader(form)
	}
	r, err := http.NewRequestWithContext(u.t.Context(), method, u.URL()+"/elm-street/staff/"+path, body)
	if err != nil {
		panic(err)
	}
	r.AddCookie(&http.Cookie{Name: "frontdesk-elm-street", Value: u.token})
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	begun := clock.Start()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		u.t.Errorf("%s: %v", what, err)
		return
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	u.took[what] = append(u.took[what], begun.Elapsed())
	u.last = string(text)
	if err != nil || answer.StatusCode != http.StatusOK || answer.Request.URL.Path != r.URL.Path {
		u.t.Errorf("%s: %s at %s, %v", what, answer.Status, answer.Request.URL.Path, err)
	}
	time.Sleep(between)
}
