package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/projections/applications"
)

func TestOwnCallShowsItsDetails_D95(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	m.calls = []access.OwnCall{{
		RequestID: numbered(7), At: atNoon.Add(1_234_567), Endpoint: "create-note", Mode: "user-restricted", Status: 403,
		Code: "unauthorized", Reason: "The app has not been granted access to this tenant", Rule: access.RuleEnabled, Further: []access.Problem{{Code: "empty-note", Reason: "no note"}}, Agent: "frontdesk-client-go/0.1.0", Replayed: true, Repeats: 4, Took: new(1234567 * time.Nanosecond),
	}}
	want := `{"calls":[{"requestId":"00000000-0000-0000-0000-000000000007","at":"2026-03-02T12:00:00.001Z","endpoint":"create-note","mode":"user-restricted","status":403,` +
		`"code":"unauthorized","description":"The app has not been granted access to this tenant","rule":"application-enabled","errors":[{"code":"unauthorized","description":"The app has not been granted access to this tenant"},{"code":"empty-note","description":"no note"}],"userAgent":"frontdesk-client-go/0.1.0","replayed":true,"repeats":4,"durationMs":1,"unproven":false}],"next":null}` + "\n"
	if got := m.ask("calls").Body.String(); got != want {
		t.Errorf("shown is %s, want %s", got, want)
	}
	m.calls = nil
	m.forged(3, "ping")
	want = `{"calls":[{"requestId":"00000000-0000-0000-0000-000000000003","at":"2026-03-02T12:00:00.000Z","endpoint":"ping","mode":null,"status":403,` +
		`"code":"unauthorized","description":"old","rule":"expired","errors":[{"code":"unauthorized","description":"old"}],"userAgent":null,"replayed":false,"repeats":0,"durationMs":null,"unproven":true}],"next":null}` + "\n"
	if got := m.ask("calls").Body.String(); got != want {
		t.Errorf("shown is %s, want %s", got, want)
	}
}

// An application finds its calls with a key, whatever their endpoint, and no others.
func TestCallsAreFoundByKey_D146(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	m.made(1, 200)
	m.made(2, 200)
	m.keys = map[event.Digest][]access.OwnCall{access.KeyDigest(provenApp, "my key"): m.calls[:1]}
	if got, _ := m.shown("idempotencyKey", "my key", "limit", "3"); !slices.Equal(got, []int64{2}) {
		t.Errorf("shown are %v", got)
	}
	if got, _ := m.shown("idempotencyKey", "another"); len(got) > 0 {
		t.Errorf("with another key, shown are %v", got)
	}
}

func TestQueryIsRefusedWithAllFaults_D95(t *testing.T) {
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
		{"calls", []string{"idempotencyKey", strings.Repeat("k", 256)}, []string{"idempotencyKey must have at most 255 bytes, as the header has."}},
		{"calls", []string{"limit", "201"}, []string{"limit must be a whole number from 1 to 200."}},
		{"deliveries", []string{"jti", "x", "from", "yesterday", "until", "1", "outcome", "lost", "limit", "many"}, []string{
			"jti must be a UUID of 36 characters.", "from must be an RFC 3339 instant such as 2026-03-02T12:00:00Z.", "until must be an RFC 3339 instant such as 2026-03-02T12:00:00Z.",
			"outcome must be one of: delivered, failed.", "limit must be a whole number from 1 to 200."}},
		{"deliveries", []string{"from", "0001-01-01T00:00:00Z", "until", "0001-01-01T00:00:00Z"}, []string{
			"from must be an RFC 3339 instant such as 2026-03-02T12:00:00Z.", "until must be an RFC 3339 instant such as 2026-03-02T12:00:00Z."}},
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
	m.deliveries = applications.Page[applications.Delivery]{Rows: []applications.Delivery{
		{JTI: numbered(2), Event: "record.opened", URL: "https://app.example/hook", Outcome: "failed", Reason: "http_5xx", HappenedAt: atNoon,
			SentAt: new(atNoon.Add(time.Second)), FinishedAt: new(atNoon.Add(1500 * time.Millisecond)), Status: new(502)},
		{JTI: numbered(1), Event: "ping", Outcome: "pending", HappenedAt: atNoon},
	}}
	want := `{"deliveries":[{"jti":"00000000-0000-0000-0000-000000000002","event":"record.opened","url":"https://app.example/hook","outcome":"failed","reason":"http_5xx","description":"Because of http_5xx.",` +
		`"happenedAt":"2026-03-02T12:00:00.000Z","sentAt":"2026-03-02T12:00:01.000Z","finishedAt":"2026-03-02T12:00:01.500Z","durationMs":500,"status":502},` +
		`{"jti":"00000000-0000-0000-0000-000000000001","event":"ping","url":null,"outcome":"pending","reason":null,"description":null,"happenedAt":"2026-03-02T12:00:00.000Z","sentAt":null,"finishedAt":null,"durationMs":null,"status":null}],"next":null}` + "\n"
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

// An application that acts for a member of staff does not get these answers. Nor does
// one that the practice does not know.
func TestHistoryNeedsApplicationItself_D95(t *testing.T) {
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

// No recorded sentence repeats the caller's input, wherever it was: sentences are shown
// again, and stored unencrypted.
func TestRecordedSentencesHoldNoInput_D95(t *testing.T) {
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
