package staffweb_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/domain/display"
)

// spans is what the service tells a page's script.
type spans struct {
	Member      string
	Idle, Limit int64
}

func (s seen) spans(t *testing.T) (told spans) {
	t.Helper()
	s.wants(t, http.StatusOK, "", "")
	must(t, json.Unmarshal([]byte(s.body), &told))
	return told
}

// A page's script learns how long the session lasts. Asking is no activity; staying is.
func TestPagesKnowHowLongTheyLast_D151(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const at, asks = atElm + "session", atElm + "session?fragment"
	const minute = int64(60_000)
	b, other := s.browser(t), s.browser(t)
	b.signIn(elm, "dr.lee")
	told := b.get(asks).spans(t)
	if told.Member == "" || told.Idle != 30*minute || told.Limit != 12*60*minute {
		t.Errorf("a new session: %+v", told)
	}
	page := b.get(account)
	page.wants(t, http.StatusOK, "", `data-member="`+told.Member+`"`)
	token := bodyData(t, page, "token")
	s.Pass(29 * time.Minute)
	if now := b.get(asks).spans(t); now.Idle != minute || now.Limit != (12*60-29)*minute {
		t.Errorf("29 minutes later: %+v", now)
	}
	b.get(account+"?again").wants(t, http.StatusOK, "", `data-idle="60000"`)
	b.post(at, url.Values{"token": {"made up"}}).wants(t, http.StatusForbidden, "", "out of date")
	if now := b.post(at, url.Values{"token": {token}}).spans(t); now.Idle != 30*minute || now.Limit != (12*60-29)*minute {
		t.Errorf("staying: %+v", now)
	}
	for range 24 {
		s.Pass(29 * time.Minute)
		b.post(at, url.Values{"token": {token}})
	}
	if now := b.get(asks).spans(t); now != (spans{}) {
		t.Errorf("staying has put off the end after 12 hours: %+v", now)
	}
	for name, told := range map[string]spans{
		"a stranger":              other.get(asks).spans(t),
		"a stranger's attempt":    other.post(at, url.Values{"token": {token}}).spans(t),
		"an attempt after an end": b.post(at, url.Values{"token": {token}}).spans(t),
	} {
		if told != (spans{}) {
			t.Errorf("%s is told %+v", name, told)
		}
	}
}

// Each visible page asks once a minute, which must not fill the log. What a member does has a
// line.
func TestAskingForTheEndLogsNoLine_D151(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	token := bodyData(t, b.get(account), "token")
	logs := func(want int, why string) {
		t.Helper()
		if lines := strings.Count(s.watched.String(), `"page":"session"`); lines != want {
			t.Errorf("%s: %d lines in all, want %d", why, lines, want)
		}
	}
	b.get(atElm + "session?fragment").spans(t)
	s.browser(t).get(atElm + "session?fragment").spans(t)
	logs(0, "asking")
	b.post(atElm+"session", url.Values{"token": {token}}).spans(t)
	logs(1, "staying")
	b.post(atElm+"session", url.Values{"token": {"made up"}}).wants(t, http.StatusForbidden, "", "out of date")
	logs(2, "an attempt")
}

// bodyData is a data attribute of the page's body.
func bodyData(t *testing.T, page seen, name string) string {
	t.Helper()
	found := regexp.MustCompile(`<body[^>]* data-` + name + `="([^"]*)"`).FindStringSubmatch(page.body)
	if found == nil {
		t.Fatalf("the page has no data-%s:\n%s", name, page.body)
	}
	return found[1]
}

func TestSignOutClearsTheBrowsersCache_D151(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	out := atElm + "sign-out"
	answer := b.post(out, b.get(account).form(t, out))
	if cleared := answer.Header.Get("Clear-Site-Data"); cleared != `"cache"` {
		t.Errorf("it clears %s", cleared)
	}
}

// Pages without a session watch none, and neither do screens.
func TestOnlySessionsAreWatched_D151(t *testing.T) {
	t.Parallel()
	w := newWaitingRoom(t)
	b, _ := w.connect(t, w.add(display.FullName))
	b.get(w.board()).wants(t, http.StatusOK, "", "Ann Archer")
	for _, path := range []string{atElm + "sign-in", "/nowhere", w.board()} {
		if page := b.get(path); strings.Contains(page.body, "session.js") || strings.Contains(page.body, "data-member") {
			t.Errorf("%s watches a session", path)
		}
	}
}
