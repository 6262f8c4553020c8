package httpapi_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/httpapi"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/projections"
)

// mirror is an API in which an application finds itself. Each of its calls and refusals
// has the number of its request id.
type mirror struct {
	t          *testing.T
	api        *httpapi.API
	caller     access.Caller
	calls      []access.OwnCall // newest first
	unproven   []access.OwnCall
	deliveries projections.OwnPage[projections.OwnDelivery]
	asked      projections.OwnDeliveriesAsked
}

func newMirror(t *testing.T) *mirror {
	t.Helper()
	m := &mirror{t: t, caller: proven(asApplication)}
	m.caller.Known = true
	m.api = (&desk{caller: m.caller}).api(practiceDay(t))
	m.api.Now = func() time.Time { return written }
	cursors, err := httpapi.NewCursors([32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	m.api.Own = httpapi.Own{
		Calls: m.page, Call: m.call, Unproven: func(application.ID, string) []access.OwnCall { return slices.Clone(m.unproven) },
		Deliveries: func(_ context.Context, asked projections.OwnDeliveriesAsked) (projections.OwnPage[projections.OwnDelivery], error) {
			m.asked = asked
			return m.deliveries, nil
		},
		Outcomes: []string{"delivered", "failed"}, Why: func(reason string) string { return "Because of " + reason + "." }, Cursors: cursors,
	}
	return m
}

func (m *mirror) page(_ context.Context, b projections.OwnBounds, answered, refused bool) (page projections.OwnPage[access.OwnCall], err error) {
	for _, c := range m.calls {
		wanted := answered && c.Status < 400 || refused && c.Status >= 400
		if wanted && (b.Before == uuid.Nil || bytes.Compare(c.RequestID[:], b.Before[:]) < 0) && len(page.Rows) < b.Limit {
			page.Rows, page.Before = append(page.Rows, c), c.RequestID
		}
	}
	if len(page.Rows) < b.Limit {
		page.Before = uuid.Nil
	}
	return page, nil
}

func (m *mirror) call(_ context.Context, _ string, _ application.ID, id uuid.UUID) (*access.OwnCall, error) {
	if at := slices.IndexFunc(m.calls, func(c access.OwnCall) bool { return c.RequestID == id }); at >= 0 {
		return &m.calls[at], nil
	}
	return nil, nil
}

func numbered(n uint64) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

var atNoon = written.Truncate(time.Second)

// made adds a call, answered or refused.
func (m *mirror) made(n uint64, status int) {
	m.calls = slices.Insert(m.calls, 0, access.OwnCall{RequestID: numbered(n), At: atNoon, Endpoint: "create-note", Mode: "user-restricted", Status: status, Took: new(7 * time.Millisecond)})
}

// forged adds a refusal before a signature held.
func (m *mirror) forged(n uint64, endpoint application.EndpointName) {
	m.unproven = slices.Insert(m.unproven, 0, access.OwnCall{RequestID: numbered(n), At: atNoon, Endpoint: endpoint, Status: 403, Code: "unauthorized", Reason: "old", Rule: "expired", Unproven: true})
}

// ask asks, and returns the answer.
func (m *mirror) ask(path string, query ...string) *httptest.ResponseRecorder {
	m.t.Helper()
	values := url.Values{}
	for n := 0; n < len(query); n += 2 {
		values.Add(query[n], query[n+1])
	}
	answer := httptest.NewRecorder()
	m.api.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(m.t.Context(), http.MethodGet, "http://elm-street.frontdesk.example/transactional-api/application/"+path+"?"+values.Encode(), http.NoBody))
	return answer
}

// shown is a page of calls by their numbers; those that are unproven are negative.
func (m *mirror) shown(query ...string) (numbers []int64, next string) {
	m.t.Helper()
	answer := m.ask("calls", query...)
	var page struct {
		Calls []struct {
			RequestID uuid.UUID
			Unproven  bool
		}
		Next string
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil || answer.Code != http.StatusOK {
		m.t.Fatalf("%v is answered %d %s", query, answer.Code, answer.Body)
	}
	for _, c := range page.Calls {
		n := int64(binary.BigEndian.Uint64(c.RequestID[8:]))
		if c.Unproven {
			n = -n
		}
		numbers = append(numbers, n)
	}
	return numbers, page.Next
}

// through pages through all calls.
func (m *mirror) through(query ...string) (pages [][]int64) {
	m.t.Helper()
	for next := ""; ; {
		var numbers []int64
		numbers, next = m.shown(append([]string{"cursor", next}, query...)...)
		if pages = append(pages, numbers); next == "" {
			return pages
		}
	}
}

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

// However many forged tokens name an application, its own calls are on the pages on which
// they would be without them.
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

func TestACallIsShownInEveryDetailThatIsItsCallers_D95(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	m.calls = []access.OwnCall{{
		RequestID: numbered(7), At: atNoon.Add(1_234_567), Endpoint: "create-note", Mode: "user-restricted", Status: 403,
		Code: "unauthorized", Reason: "The app has not been granted access to this tenant", Rule: access.RuleEnabled, Took: new(1234567 * time.Nanosecond),
	}}
	want := `{"calls":[{"requestId":"00000000-0000-0000-0000-000000000007","at":"2026-03-02T12:00:00.001Z","endpoint":"create-note","mode":"user-restricted","status":403,` +
		`"code":"unauthorized","description":"The app has not been granted access to this tenant","rule":"application-enabled","durationMs":1,"unproven":false}],"next":null}` + "\n"
	if got := m.ask("calls").Body.String(); got != want {
		t.Errorf("shown is %s, want %s", got, want)
	}
	m.calls = nil
	m.forged(3, "ping")
	want = `{"calls":[{"requestId":"00000000-0000-0000-0000-000000000003","at":"2026-03-02T12:00:00Z","endpoint":"ping","mode":null,"status":403,` +
		`"code":"unauthorized","description":"old","rule":"expired","durationMs":null,"unproven":true}],"next":null}` + "\n"
	if got := m.ask("calls").Body.String(); got != want {
		t.Errorf("shown is %s, want %s", got, want)
	}
}

// A cursor says nothing, and is nobody else's.
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

// as is the same for another application or practice.
func (m *mirror) as(app application.ID, tenant string) *mirror {
	m.t.Helper()
	other := newMirror(m.t)
	other.caller.Application, other.caller.Tenant = app, tenant
	api := (&desk{caller: other.caller}).api(practiceDay(m.t))
	api.Own, other.api = other.api.Own, api
	return other
}

func TestAQueryIsToldAllThatIsWrongWithIt_D95(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	for _, test := range []struct {
		path  string
		query []string
		want  []string
	}{
		{"calls", []string{"limit", "0", "status", "bad", "requestId", "1"}, []string{
			"status must be one of: all, answered, refused, unproven.", "requestId must be a UUID of 36 characters.", "limit must be a whole number from 1 to 200."}},
		{"calls", []string{"limit", "1", "limit", "2"}, []string{"limit must be given once."}},
		{"calls", []string{"limit", "201"}, []string{"limit must be a whole number from 1 to 200."}},
		{"deliveries", []string{"jti", "x", "from", "yesterday", "until", "1", "outcome", "lost", "limit", "many"}, []string{
			"jti must be a UUID of 36 characters.", "from must be an RFC 3339 instant such as 2026-03-02T12:00:00Z.", "until must be an RFC 3339 instant such as 2026-03-02T12:00:00Z.",
			"outcome must be one of: delivered, failed.", "limit must be a whole number from 1 to 200."}},
	} {
		var told struct {
			Errors []struct{ Code, Description string }
		}
		answer := m.ask(test.path, test.query...)
		if err := json.Unmarshal(answer.Body.Bytes(), &told); err != nil || answer.Code != http.StatusBadRequest {
			t.Errorf("%v is answered %d %s", test.query, answer.Code, answer.Body)
		}
		var got []string
		for _, e := range told.Errors {
			if got = append(got, e.Description); e.Code != "invalid-query" {
				t.Errorf("%v has the code %s", test.query, e.Code)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%v: %s", test.query, diff)
		}
	}
}

func TestADeliveryIsShownAsItWent_D95(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	m.deliveries = projections.OwnPage[projections.OwnDelivery]{Rows: []projections.OwnDelivery{
		{JTI: numbered(2), Event: "record.opened", URL: "https://app.example/hook", Outcome: "failed", Reason: "http_5xx", HappenedAt: atNoon,
			SentAt: new(atNoon.Add(time.Second)), FinishedAt: new(atNoon.Add(1500 * time.Millisecond)), Status: new(502)},
		{JTI: numbered(1), Event: "ping", Outcome: "pending", HappenedAt: atNoon},
	}}
	want := `{"deliveries":[{"jti":"00000000-0000-0000-0000-000000000002","event":"record.opened","url":"https://app.example/hook","outcome":"failed","reason":"http_5xx","description":"Because of http_5xx.",` +
		`"happenedAt":"2026-03-02T12:00:00Z","sentAt":"2026-03-02T12:00:01Z","finishedAt":"2026-03-02T12:00:01.5Z","durationMs":500,"status":502},` +
		`{"jti":"00000000-0000-0000-0000-000000000001","event":"ping","url":null,"outcome":"pending","reason":null,"description":null,"happenedAt":"2026-03-02T12:00:00Z","sentAt":null,"finishedAt":null,"durationMs":null,"status":null}],"next":null}` + "\n"
	answer := m.ask("deliveries", "jti", numbered(2).String(), "from", "2026-03-02T12:00:00Z", "until", "2026-03-02T13:00:00+00:00", "outcome", "failed", "limit", "3")
	if got := answer.Body.String(); got != want {
		t.Errorf("shown is %s, want %s", got, want)
	}
	if m.asked.JTI != numbered(2) || !m.asked.From.Equal(atNoon) || !m.asked.Until.Equal(atNoon.Add(time.Hour)) || m.asked.Outcome != "failed" || m.asked.Limit != 3 || m.asked.Tenant != "elm-street" || m.asked.Application != provenApp {
		t.Errorf("asked for %+v", m.asked)
	}
}

func TestAQueryThatCannotBeReadIsRefused_D95(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	answer := httptest.NewRecorder()
	m.api.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://elm-street.frontdesk.example/transactional-api/application/calls?limit=%zz", http.NoBody))
	if want := `{"errors":[{"code":"invalid-query","description":"The query string is malformed."}]}` + "\n"; answer.Code != http.StatusBadRequest || answer.Body.String() != want {
		t.Errorf("answered %d %s", answer.Code, answer.Body)
	}
}

// Who acts for somebody is not told what the application is told, nor is anybody for whom
// the practice has nothing.
func TestOnlyAnApplicationForItselfIsTold_D95(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	m.made(1, 200)
	for _, path := range []string{"calls", "deliveries"} {
		user := proven(asUser)
		user.Known = true
		api := (&desk{caller: user}).api(practiceDay(t))
		api.Own = m.api.Own
		answer := httptest.NewRecorder()
		api.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://elm-street.frontdesk.example/transactional-api/application/"+path, http.NoBody))
		if answer.Code != http.StatusForbidden || !strings.Contains(answer.Body.String(), "The app has no permission to call application/"+path+" in user-restricted mode") {
			t.Errorf("%s is answered %d %s", path, answer.Code, answer.Body)
		}
	}
}

// What a caller has sent is in no sentence that is recorded, wherever it stood: sentences
// are shown again, and kept in clear.
func TestNoSentenceThatIsRecordedHoldsWhatWasSent_D95(t *testing.T) {
	t.Parallel()
	const secret = "Zanzibar"
	bodies := []string{
		`{"` + secret + `":1}`, `{"` + secret + `":1,"` + secret + `":2}`, `{"patientId":"` + secret + `"}`, `{"PATIENTID":"` + secret + `"}`, secret, `"` + secret + `"`, `{"a":` + secret + `}`, `{} ` + secret,
		`{"patientId":"` + annID + `","requestType":"` + secret + `","requester":"` + secret + `","response":[{"question":"` + secret + `","answer":"` + secret + `"}],"proxyDetails":{"` + secret + `":1}}`,
		`{"patientId":"` + annID + `","requestType":"medical","requester":"proxy","response":[{"` + secret + `":1}],"proxyDetails":"` + secret + `","attachments":[{"contentType":"` + secret + `","fileName":"` + secret + `","data":"` + secret + `"}]}`,
		`{"patientId":"` + annID + `","siteId":"` + secret + `","at":"` + secret + `","note":{"` + secret + `":1},"appointmentId":"` + secret + `","roomId":"` + secret + `","event":"` + secret + `"}`,
	}
	recorded := 0
	for _, endpoint := range access.Endpoints() {
		for _, text := range bodies {
			c := &clerk{Store: practiceDay(t), caller: proven(asApplication)}
			c.call(t, http.MethodPost, "/"+string(endpoint.Name)+"?"+secret+"="+secret, text)
			c.call(t, http.MethodGet, "/"+string(endpoint.Name)+"?patientId="+secret+"&limit="+secret+"&cursor="+secret+"&status="+secret+"&jti="+secret+"&%zz", "")
			for _, call := range c.calls {
				if recorded++; strings.Contains(call.Reason, secret) {
					t.Errorf("%s is recorded with: %s", endpoint.Name, call.Reason)
				}
			}
		}
	}
	if recorded < 100 {
		t.Errorf("only %d calls were recorded", recorded)
	}
}

func TestHowLongACallTookIsRecorded_D95(t *testing.T) {
	t.Parallel()
	c := &clerk{Store: practiceDay(t), caller: proven(asApplication)}
	api, now := c.api(), written
	api.Now = func() time.Time { now = now.Add(time.Second); return now }
	answer := httptest.NewRecorder()
	api.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://elm-street.frontdesk.example/transactional-api/ping", http.NoBody))
	if len(c.calls) != 1 || c.calls[0].Took < time.Second || c.calls[0].Took > now.Sub(written) {
		t.Errorf("recorded is %+v", c.calls)
	}
}
