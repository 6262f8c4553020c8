package integrator_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/cmd/frontdesk/integrator"
	"frontdesk/domain/application"
)

// answering is a service that gives one answer, and what it was asked.
func answering(t *testing.T, status int, header http.Header, answer string) (integrator.Client, func() string) {
	t.Helper()
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = r.Method + " " + r.URL.String() + " " + r.Header.Get("Authorization") + " " + r.Header.Get("Content-Type") + " " + string(body)
		for name := range header {
			w.Header().Set(name, header.Get(name))
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	client := integrator.Client{
		URL: server.URL + "/transactional-api", HTTP: server.Client(), Mint: func() (string, error) { return "a.b.c", nil },
	}
	return client, func() string { return asked }
}

func TestARefusalSaysWhatTheServiceHasSaid(t *testing.T) {
	t.Parallel()
	client, asked := answering(t, http.StatusTooManyRequests, http.Header{"Retry-After": {"42"}, "X-Request-Id": {"r-1"}},
		`{"errors":[{"code":"rate-limited","description":"Wait 42 s."}]}`)
	_, err := client.TestWebhook(t.Context(), application.RecordOpened)
	var refusal *integrator.Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("got %v", err)
	}
	want := integrator.Refusal{Status: 429, Code: "rate-limited", Description: "Wait 42 s.", RetryAfter: 42 * time.Second, RequestID: "r-1"}
	if diff := cmp.Diff(want, *refusal); diff != "" || err.Error() != "Wait 42 s. (rate-limited)" || integrator.StatusOf(err) != 429 {
		t.Errorf("%q, status %d: %s", err, integrator.StatusOf(err), diff)
	}
	if want := `POST /transactional-api/application/webhooks/test Bearer a.b.c application/json {"event":"record.opened"}`; asked() != want {
		t.Errorf("asked %s, want %s", asked(), want)
	}
}

func TestAnAnswerOfSomebodyElseIsARefusalToo(t *testing.T) {
	t.Parallel()
	client, _ := answering(t, http.StatusBadGateway, nil, "<h1>Bad gateway</h1>")
	if _, err := client.Application(t.Context()); integrator.StatusOf(err) != http.StatusBadGateway || err.Error() != "the service answered 502" {
		t.Errorf("got %v", err)
	}
	client, _ = answering(t, http.StatusOK, nil, "<h1>Welcome</h1>")
	if _, err := client.Application(t.Context()); err == nil {
		t.Error("a page was taken for an answer")
	}
}

func TestNullsAreZero(t *testing.T) {
	t.Parallel()
	client, asked := answering(t, http.StatusOK, nil, `{"url":"http://127.0.0.1/jwks.json","keys":[],"fetchedAt":null,"until":null,"lastFetch":null}`)
	set, err := client.ReadKeySet(t.Context())
	want := integrator.KeySet{URL: "http://127.0.0.1/jwks.json", Keys: []integrator.HeldKey{}}
	if diff := cmp.Diff(want, set); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
	if want := "POST /transactional-api/application/key-set Bearer a.b.c  "; asked() != want {
		t.Errorf("asked %q, want %q", asked(), want)
	}
}

func TestOnlyWhatIsGivenIsAskedFor(t *testing.T) {
	t.Parallel()
	client, asked := answering(t, http.StatusOK, nil, `{"calls":[{"requestId":"r","status":401,"unproven":true}],"next":null}`)
	page, err := client.Calls(t.Context(), integrator.CallsQuery{Status: "refused", Limit: 5})
	if diff := cmp.Diff(integrator.CallsPage{Calls: []integrator.Call{{RequestID: "r", Status: 401, Unproven: true}}}, page); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
	if want := "GET /transactional-api/application/calls?limit=5&status=refused Bearer a.b.c  "; asked() != want {
		t.Errorf("asked %q, want %q", asked(), want)
	}
	from := time.Date(2026, 7, 1, 12, 0, 0, 5e6, time.UTC)
	_, _ = client.Deliveries(t.Context(), integrator.DeliveriesQuery{JTI: "j", From: from})
	if want := "GET /transactional-api/application/deliveries?from=2026-07-01T12%3A00%3A00.005Z&jti=j Bearer a.b.c  "; asked() != want {
		t.Errorf("asked %q, want %q", asked(), want)
	}
}

func TestAClientThatCannotMintAsksNothing(t *testing.T) {
	t.Parallel()
	client, asked := answering(t, http.StatusOK, nil, "{}")
	noKey := errors.New("no key")
	client.Mint = func() (string, error) { return "", noKey }
	if _, err := client.Deliveries(t.Context(), integrator.DeliveriesQuery{}); !errors.Is(err, noKey) || asked() != "" {
		t.Errorf("%v; asked %q", err, asked())
	}
}

// A token is good for whoever reads it: it goes neither in clear to other machines nor to where
// a redirect leads.
func TestATokenGoesWhereItWasMeantToGoAlone_D92(t *testing.T) {
	t.Parallel()
	var carried atomic.Int32
	away := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			carried.Add(1)
		}
	}))
	t.Cleanup(away.Close)
	leading := httptest.NewServer(http.RedirectHandler(away.URL+"/application", http.StatusTemporaryRedirect))
	t.Cleanup(leading.Close)
	mint := func() (string, error) { return "token", nil }
	ask := func(url string, through http.RoundTripper) error {
		client := integrator.Client{URL: url, Mint: mint, HTTP: &http.Client{Timeout: time.Minute, Transport: through}}
		_, err := client.Application(t.Context())
		return err
	}
	if err := ask(leading.URL, nil); integrator.StatusOf(err) != http.StatusTemporaryRedirect || carried.Load() != 0 {
		t.Errorf("a redirect is followed with %d tokens: %v", carried.Load(), err)
	}
	nowhere := roundTrip(func(r *http.Request) (*http.Response, error) {
		t.Errorf("%s is sent a token", r.URL)
		return nil, http.ErrServerClosed
	})
	if err := ask("http://elm-street.api.example/transactional-api", nowhere); err == nil || !strings.Contains(err.Error(), "https://") {
		t.Errorf("in clear: %v", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
