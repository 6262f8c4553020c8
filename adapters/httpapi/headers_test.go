package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/httpapi"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
)

// asked is an API over one practice's day, for several calls.
type asked struct {
	*desk
	t       *testing.T
	store   *commandtest.Store
	before  int // events that there were
	handler http.Handler
}

func newAsked(t *testing.T, caller access.Caller, change func(*httpapi.API)) *asked {
	t.Helper()
	d := &desk{caller: caller}
	store := practiceDay(t)
	api := d.api(store)
	change(api)
	return &asked{d, t, store, len(store.Log()), api.Handler()}
}

// ask makes a call; headers are alternating names and values.
func (a *asked) ask(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	a.t.Helper()
	r := httptest.NewRequestWithContext(a.t.Context(), method, "http://localhost/transactional-api/"+path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	a.handler.ServeHTTP(answer, r)
	return answer
}

func unchanged(*httpapi.API) {}

func TestUnknownFieldsAreReported_D93(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	a := newAsked(t, asApplicationOf(1), func(api *httpapi.API) { api.Metrics = httpapi.NewMetrics(registry) })
	note := func(more string) string { return `{"patientId":"` + annID + `","note":"a cough"` + more + `}` }
	many, long := "", strings.Repeat("ü", 500)
	for n := range 12 {
		many += fmt.Sprintf(`,"m%02d":1`, n)
	}
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "create-note", note(""), ""},
		{"POST", "create-note", note(`,"isHighPrioritiy":true`), "isHighPrioritiy"},
		{"POST", "create-note", note(`,"b":1,"a":{"c":1}`), "a, b"},
		{"POST", "create-note", note(`,"a b,c":1,"x.y":2,"é":3,"a-b_c~":4,"\r\nSet-Cookie: x":5,"":6`),
			`"", %0D%0ASet-Cookie%3A%20x, a%20b%2Cc, a-b_c~, x%2Ey, %C3%A9`},
		{"POST", "create-note", note(many), "m00, m01, m02, m03, m04, m05, m06, m07, m08, m09"},
		{"POST", "create-note", note(`,"` + long + `":1`), strings.Repeat("%C3%BC", 16) + "..."},
		{"GET", "retrieve-care-record?patientId=" + annID + "&pacientId=x&q=1&q=2", "", "pacientId, q"},
		{"GET", "ping", "", ""},
		{"GET", "ping?verbose=1", "", "verbose"},
		{"GET", "ping?verbose=%zz", "", ""},
		{"POST", "ping", `{"verbose":1}`, ""}, // it reads no input
	} {
		answer := a.ask(c.method, c.path, c.body)
		if got := answer.Header().Get("Warning-Unknown-Fields"); answer.Code != http.StatusOK || got != c.want {
			t.Errorf("%s %s: %d, told %q, want %q", c.path, c.body, answer.Code, got, c.want)
		}
	}
	if refused := a.ask("POST", "create-note", `{"patientId":"x","note":"a cough","b":1}`); refused.Header().Get("Warning-Unknown-Fields") != "" {
		t.Errorf("a refusal warns of %q", refused.Header().Get("Warning-Unknown-Fields"))
	}
	if diff := cmp.Diff(map[string]float64{"create-note": 5, "ping": 1, "retrieve-care-record": 1}, warned(t, registry)); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
}

// warned returns the counted calls of each endpoint.
func warned(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]float64{}
	for _, family := range families {
		if family.GetName() != "frontdesk_call_unknown_fields_total" {
			continue
		}
		for _, m := range family.GetMetric() {
			if labels := m.GetLabel(); len(labels) != 1 {
				t.Errorf("it has the labels %v", labels)
			}
			counted[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
		}
	}
	return counted
}

func TestTenLongNamesFitInOneKiB_D93(t *testing.T) {
	t.Parallel()
	a := newAsked(t, asApplicationOf(1), unchanged)
	body := `{"patientId":"` + annID + `","note":"a cough"`
	for n := range 20 {
		body += fmt.Sprintf(`,"%02d%s":1`, n, strings.Repeat("\U0001f915", 300))
	}
	told := a.ask("POST", "create-note", body+"}").Header().Get("Warning-Unknown-Fields")
	if len(told) > 1<<10 || strings.Count(told, ", ") != 9 {
		t.Errorf("%d bytes: %s", len(told), told)
	}
}

// Text that a caller typed goes back to the caller, and is not recorded.
func TestInStrictModeAnUnknownFieldIsRefused_D93(t *testing.T) {
	t.Parallel()
	var recorded []access.Call
	a := newAsked(t, asApplicationOf(1), func(api *httpapi.API) {
		api.Strict, api.Record = true, func(c access.Call) { recorded = append(recorded, c) }
	})
	for _, c := range []struct{ method, path, body, says string }{
		{"POST", "create-note", `{"patientId":"` + annID + `","note":"a cough","Ann Archer":1}`,
			"The contract has no field Ann%20Archer; there it has: patientId, note."},
		{"GET", "ping?Ann=1", "", "The contract has no field Ann."},
	} {
		answer := a.ask(c.method, c.path, c.body)
		if got := answer.Body.String(); answer.Code != http.StatusBadRequest || !strings.Contains(got, c.says) || !strings.Contains(got, `"invalid-request-body"`) {
			t.Errorf("%s: %d %s", c.path, answer.Code, got)
		}
	}
	for _, c := range recorded {
		if c.Code != "invalid-request-body" || c.Reason != "The body or the query has a field that the contract does not know." {
			t.Errorf("recorded %+v", c)
		}
	}
	if len(recorded) != 2 || len(a.store.Log()) != a.before {
		t.Errorf("%d calls are recorded, and %d events appended", len(recorded), len(a.store.Log())-a.before)
	}
	if ok := a.ask("POST", "create-note", `{"patientId":"`+annID+`","note":"a cough"}`); ok.Code != http.StatusOK {
		t.Errorf("known fields alone: %d %s", ok.Code, ok.Body)
	}
}

// asApplicationOf is a caller of the application with an identifier.
func asApplicationOf(n byte) access.Caller {
	caller := asApplication
	caller.Application = application.ID{UUID: [16]byte{n}}
	return caller
}

func TestProvenCallerGetsRemainingLimit_D93(t *testing.T) {
	t.Parallel()
	now := written
	clock := func() time.Time { return now }
	a := newAsked(t, asApplicationOf(1), func(api *httpapi.API) {
		api.Calls, api.Bytes = admission.NewRateLimiter[application.ID](4, time.Second, clock), admission.NewRateLimiter[application.ID](1000, 24*time.Hour, clock)
		api.Now = clock
	})
	note := `{"patientId":"` + annID + `","note":"a cough"}`
	for i, c := range []struct {
		method, path, body string
		status             int
		limit, policy      string
		retry              string
	}{
		{"GET", "ping", "", 200, `"calls";r=3;t=1`, `"calls";q=4;w=1`, ""},
		{"POST", "create-note", note, 200, fmt.Sprintf(`"calls";r=2;t=1, "bytes";r=%d;t=5962`, 1000-len(note)),
			`"calls";q=4;w=1, "bytes";q=1000;w=86400;qu="content-bytes"`, ""},
		{"POST", "create-note", strings.Repeat(" ", 950), 429, `"calls";r=1;t=1, "bytes";r=931;t=5962`,
			`"calls";q=4;w=1, "bytes";q=1000;w=86400;qu="content-bytes"`, "1642"},
		{"POST", "create-note", `{}`, 400, `"calls";r=0;t=1, "bytes";r=929;t=6135`,
			`"calls";q=4;w=1, "bytes";q=1000;w=86400;qu="content-bytes"`, ""},
		{"GET", "ping", "", 429, `"calls";r=0;t=1`, `"calls";q=4;w=1`, "1"},
	} {
		answer := a.ask(c.method, c.path, c.body)
		got := []string{answer.Header().Get("RateLimit"), answer.Header().Get("RateLimit-Policy"), answer.Header().Get("Retry-After")}
		if want := []string{c.limit, c.policy, c.retry}; answer.Code != c.status || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("call %d: %d %q, want %d %q", i, answer.Code, got, c.status, want)
		}
	}
	now = now.Add(time.Second)
	if got := a.ask("GET", "ping", "").Header().Get("RateLimit"); got != `"calls";r=3;t=1` {
		t.Errorf("a second later: %s", got)
	}
}

// An unproven caller sees no budget, and no caller sees another's.
func TestLimitsHideOtherCallersUse_D93(t *testing.T) {
	t.Parallel()
	now := written
	calls := admission.NewRateLimiter[application.ID](10, time.Second, func() time.Time { return now })
	limited := func(api *httpapi.API) { api.Calls = calls }
	busy, quiet := newAsked(t, asApplicationOf(1), limited), newAsked(t, asApplicationOf(2), limited)
	for range 7 {
		busy.ask("GET", "ping", "")
	}
	if got := quiet.ask("GET", "ping", "").Header().Get("RateLimit"); got != `"calls";r=9;t=1` {
		t.Errorf("the other is told %s", got)
	}
	stranger := newAsked(t, asApplicationOf(1), func(api *httpapi.API) {
		limited(api)
		api.Recognise = refuses(fault.New(fault.Forbidden, "unauthorized", "Nobody."))
	})
	for _, path := range []string{"ping", "create-note", "nothing", "openapi.json"} {
		headers := stranger.ask("GET", path, "").Header()
		if headers.Get("RateLimit")+headers.Get("RateLimit-Policy") != "" {
			t.Errorf("%s tells a stranger %v", path, headers)
		}
	}
	if unlimited := newAsked(t, asApplicationOf(1), unchanged).ask("GET", "ping", "").Header(); unlimited.Get("RateLimit-Policy") != "" {
		t.Errorf("there is no limit, and yet %v", unlimited)
	}
}

// Every answer forbids browsers to guess its type, or to show it as a page.
func TestAnswersAreNoPages_D145(t *testing.T) {
	t.Parallel()
	const transport = "max-age=31536000"
	published := func(api *httpapi.API) {
		api.StrictTransport = transport
		api.SigningKeys = func(context.Context) ([]byte, error) { return []byte(`{"keys":[]}`), nil }
	}
	known, stranger := newAsked(t, asApplicationOf(1), published), newAsked(t, asApplicationOf(1), func(api *httpapi.API) {
		published(api)
		api.Recognise = refuses(fault.New(fault.Forbidden, "unauthorized", "Nobody."))
	})
	for _, by := range []*asked{known, stranger} {
		for _, path := range []string{"ping", "create-note", "nothing", "openapi.json", "jwks"} {
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				headers := by.ask(method, path, "").Header()
				if !isNoPage(headers) || headers.Get("Strict-Transport-Security") != transport {
					t.Errorf("%s %s is answered with %v", method, path, headers)
				}
			}
		}
	}
	if _, headers, _ := httpapi.Unread(http.StatusBadRequest, "", atWritten()); !isNoPage(headers) {
		t.Errorf("an unreadable request is answered with %v", headers)
	}
}

func isNoPage(h http.Header) bool {
	return h.Get("X-Content-Type-Options") == "nosniff" && h.Get("Content-Security-Policy") == "default-src 'none'; frame-ancestors 'none'"
}
