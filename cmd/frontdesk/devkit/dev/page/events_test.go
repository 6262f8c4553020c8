package page_test

import (
	"html"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk.example/client"
	"frontdesk/cmd/frontdesk/devkit/dev/forward"
	"frontdesk/cmd/frontdesk/devkit/dev/page"
	"frontdesk/cmd/frontdesk/devkit/reference"
)

// happened is a state with a good call, a refused one, and a webhook that the program took.
func happened() page.State {
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	return page.State{
		Calls: []client.JudgedCall{
			{RequestID: "good", At: at, Endpoint: "ping", Status: http.StatusOK},
			{RequestID: "bad", At: at.Add(time.Second), Endpoint: "create-note", Status: http.StatusForbidden, Mode: client.UserRestricted},
		},
		Deliveries: []page.Delivery{{At: at.Add(2 * time.Second), Event: "record.opened", JTI: "one", Here: &forward.Webhook{
			Number: 1, Header: http.Header{"Content-Type": {"application/jwt"}}, Body: []byte("it's.a.token"),
			Verified: client.Webhook{JTI: "one"}, Attempts: []forward.Attempt{{Status: http.StatusOK}},
		}}},
		APIURL: "http://127.0.0.1:8080/transactional-api", Username: "sam", ForwardTo: "http://127.0.0.1:3000/hook",
		Examples: map[string]reference.Example{"create-note": {Method: http.MethodPost, Path: "create-note", Body: `{"note": "It's fine"}`}},
	}
}

// The address chooses a filter and an event; without one, the newest event is shown.
func TestAddressChoosesEvents_D171(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.state = happened()
	browser := s.visitor()
	for address, want := range map[string]struct {
		listed []string
		chosen string
	}{
		"/":                              {[]string{"webhook-one", "call-bad", "call-good"}, "record.opened"},
		"/?only=calls":                   {[]string{"call-bad", "call-good"}, "create-note"},
		"/?only=webhooks":                {[]string{"webhook-one"}, "record.opened"},
		"/?only=problems":                {[]string{"call-bad"}, "create-note"},
		"/?only=problems&show=call-good": {[]string{"call-bad"}, "ping"},
		"/?only=nonsense&show=nonsense":  {[]string{"webhook-one", "call-bad", "call-good"}, "record.opened"},
	} {
		_, text := s.do(browser, http.MethodGet, s.here(address), nil)
		var listed []string
		for _, id := range []string{"webhook-one", "call-bad", "call-good"} {
			if strings.Contains(text, `<a id="`+id+`"`) {
				listed = append(listed, id)
			}
		}
		if !slices.Equal(listed, want.listed) || !strings.Contains(text, "<h3><code>"+want.chosen+"</code></h3>") {
			t.Errorf("%s lists %v:\n%s", address, listed, text)
		}
	}
	form := s.form(browser)
	if _, text := s.do(browser, http.MethodPost, s.here("/do/reset?only=calls&show=call-good"), form); !strings.Contains(text, "<h3><code>ping</code></h3>") {
		t.Errorf("a button forgets the choice:\n%s", text)
	}
}

// The command of an event is what it says, for a shell.
func TestEventsAsCurl_D171(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.state = happened()
	browser := s.visitor()
	for id, want := range map[string]string{
		"call-bad": "-sS|http://127.0.0.1:8080/transactional-api/create-note|-H|minted --curl --sub sam|-H|Content-Type: application/json|-d|" +
			`{"note": "It's fine"}|`,
		"webhook-one": "-sS|http://127.0.0.1:3000/hook|-H|Content-Type: application/jwt|--data-binary|it's.a.token|",
	} {
		_, text := s.do(browser, http.MethodGet, s.here("/?"+url.Values{"show": {id}}.Encode()), nil)
		found := curl.FindStringSubmatch(text)
		if found == nil {
			t.Errorf("%s has no command:\n%s", id, text)
			continue
		}
		script := `curl() { printf '%s|' "$@"; }; frontdesk() { shift 2; echo minted "$@"; }; ` + html.UnescapeString(found[1])
		said, err := exec.CommandContext(t.Context(), "sh", "-c", script).CombinedOutput()
		if err != nil || string(said) != want {
			t.Errorf("%s: %v: %s\nwant %s", id, err, said, want)
		}
	}
	if _, text := s.do(browser, http.MethodGet, s.here("/?show=call-good"), nil); curl.MatchString(text) {
		t.Errorf("an endpoint without an example has a command:\n%s", text)
	}
}

var curl = regexp.MustCompile(`(?s)<pre id="curl">(.*?)</pre>`)
