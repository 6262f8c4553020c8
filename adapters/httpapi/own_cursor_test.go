package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

func TestAnApplicationPagesThroughItsCalls_D95(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	for n, status := range []int{200, 403, 200, 503, 200} {
		m.made(uint64(10*n+10), status)
	}
	m.forged(5, "ping")
	m.forged(25, "ping")
	m.forged(55, "create-note")
	m.forged(56, access.OwnCalls) // is about itself
	for _, test := range []struct {
		query []string
		want  [][]int64
	}{
		{nil, [][]int64{{-55, 50, 40, 30, -25, 20, 10, -5}}},
		{[]string{"status", "all", "limit", "2"}, [][]int64{{-55, 50, 40}, {30, -25, 20}, {10, -5}}},
		{[]string{"status", "answered", "limit", "2"}, [][]int64{{50, 30}, {10}}},
		{[]string{"status", "refused", "limit", "1"}, [][]int64{{40}, {20}, nil}},
		{[]string{"status", "unproven", "limit", "2"}, [][]int64{{-55, -25}, {-5}}},
		{[]string{"requestId", numbered(40).String()}, [][]int64{{40}}},
		{[]string{"requestId", numbered(25).String()}, [][]int64{{-25}}},
		{[]string{"requestId", numbered(56).String()}, [][]int64{{-56}}},
		{[]string{"requestId", numbered(99).String()}, [][]int64{nil}},
	} {
		if diff := cmp.Diff(test.want, m.through(test.query...)); diff != "" {
			t.Errorf("%v: %s", test.query, diff)
		}
	}
}

// However many forged tokens name an application, its own calls are on the same pages
// as without them.
func TestAFloodDrivesNoCallOffItsPage_D95(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	for n := range uint64(20) {
		m.made(1000*n+1000, 200)
	}
	calm := m.through("limit", "6")
	for n := range uint64(500) {
		m.forged(18_500+n, "ping")
	}
	flooded := m.through("limit", "6")
	for n := range flooded {
		flooded[n] = slices.DeleteFunc(flooded[n], func(n int64) bool { return n < 0 })
	}
	if diff := cmp.Diff(calm, flooded); diff != "" {
		t.Errorf("with a flood (-without +with): %s", diff)
	}
	for _, status := range []string{"answered", "refused"} {
		m.api.Own.Unproven = nil
		without := m.through("status", status)
		m.api.Own.Unproven = func(application.ID, string) []access.OwnCall { return m.unproven }
		if diff := cmp.Diff(without, m.through("status", status)); diff != "" {
			t.Errorf("%s: %s", status, diff)
		}
	}
}

// A cursor reveals nothing, and is valid for its caller only.
func TestACursorIsSealed_D95(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	for n := range uint64(3) {
		m.made(n+1, 200)
	}
	_, next := m.shown("limit", "1")
	_, again := m.shown("limit", "1")
	sealed, err := base64.RawURLEncoding.DecodeString(next)
	if err != nil || next == again || bytes.Contains(sealed, numbered(3).NodeID()) {
		t.Errorf("cursors are %s and %s, %v", next, again, err)
	}
	for name, ask := range map[string]func() *httptest.ResponseRecorder{
		"another list":  func() *httptest.ResponseRecorder { return m.ask("deliveries", "cursor", next) },
		"a changed one": func() *httptest.ResponseRecorder { return m.ask("calls", "cursor", "A"+next[1:]+"A") },
		"a made-up one": func() *httptest.ResponseRecorder { return m.ask("calls", "cursor", numbered(2).String()) },
		"an application": func() *httptest.ResponseRecorder {
			return m.as(application.ID{UUID: uuid.Max}, "elm-street").ask("calls", "cursor", next)
		},
		"a practice": func() *httptest.ResponseRecorder { return m.as(provenApp, "oak-lane").ask("calls", "cursor", next) },
	} {
		if answer := ask(); answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), "cursor must be the next of an earlier page. Begin again without one.") {
			t.Errorf("%s is answered %d %s", name, answer.Code, answer.Body)
		}
	}
}
