package integrate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// answers is a service with set answers that remembers its calls.
type answers struct {
	mu    sync.Mutex
	asked []string
	url   string
	flags []string // that name it, and an application with a key
}

func newAnswers(t *testing.T, answer func(n int, r *http.Request) (status int, body string)) *answers {
	t.Helper()
	a := &answers{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		status, body := answer(len(a.asked), r)
		a.asked = append(a.asked, r.Method+" "+r.URL.String())
		if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ey") {
			status, body = http.StatusTeapot, ""
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	key, _ := clitest.Keygen(t)
	a.url, a.flags = server.URL, []string{"--url", server.URL + "/", "--key", key, "--application", clitest.SomeApplication}
	return a
}

func (a *answers) wantAsked(t *testing.T, want ...string) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Equal(a.asked, want) {
		t.Errorf("asked %q, want %q", a.asked, want)
	}
}

func (a *answers) run(t *testing.T, args ...string) clitest.Outcome {
	t.Helper()
	return clitest.Frontdesk(t, slices.Concat([]string{"integrator"}, args, a.flags)...)
}

const (
	anAnswered = `{"requestId":"%s","at":"2026-03-02T12:00:0%dZ","endpoint":"ping","mode":"application-restricted","status":200,"code":null,"description":null,"rule":null,"userAgent":"curl/8.5.0","durationMs":3,"unproven":false}`
	anUnproven = `{"requestId":"u","at":"2026-03-02T12:00:09Z","endpoint":"ping","mode":null,"status":403,"code":"unauthorized","description":"Invalid JWT: no key with this kid","rule":"unknown-key","durationMs":null,"unproven":true}`
)

func pageOf(next string, calls ...string) string {
	text, _ := json.Marshal(next)
	if next == "" {
		text = []byte("null")
	}
	return fmt.Sprintf(`{"calls":[%s],"next":%s}`, strings.Join(calls, ","), text)
}

func TestCallsArePagedAndSayWhyTheyWereRefused_D95(t *testing.T) {
	t.Parallel()
	service := newAnswers(t, func(n int, _ *http.Request) (int, string) {
		if n%2 == 0 {
			return http.StatusOK, pageOf("more", anUnproven, fmt.Sprintf(anAnswered, "a", 8))
		}
		return http.StatusOK, pageOf("yet more", fmt.Sprintf(anAnswered, "b", 7))
	})
	o := service.run(t, "calls", "--limit=2")
	want := "2026-03-02T12:00:09Z  403  ping  unproven  u\n" +
		"    Invalid JWT: no key with this kid (unauthorized, unknown-key)\n"
	if o.Status != 0 || !strings.HasPrefix(o.Out, want) || !strings.HasSuffix(o.Out, "2026-03-02T12:00:08Z  200  ping  application-restricted  3ms  curl/8.5.0  a\n2026-03-02T12:00:07Z  200  ping  application-restricted  3ms  curl/8.5.0  b\n") {
		t.Errorf("printed is\n%s%s", o.Out, o.Err)
	}
	asked := "GET /transactional-api/application/calls?"
	service.wantAsked(t, asked+"limit=2&status=all", asked+"cursor=more&limit=1&status=all")
	o = service.run(t, "calls", "--limit=1", "--json", "--status=refused", "--request=r")
	for line := range strings.Lines(o.Out) {
		var call struct{ RequestID, Code string }
		if err := json.Unmarshal([]byte(line), &call); err != nil || call.RequestID == "" {
			t.Errorf("%s is no call: %v", line, err)
		}
	}
	service.run(t, "calls", "--limit=0").WantFailure(t, 1, "--limit")
}

// A call that took long comes among others that are known.
func TestFollowingPrintsEachCallOnce_D95(t *testing.T) {
	t.Parallel()
	first, slow, last := fmt.Sprintf(anAnswered, "first", 1), fmt.Sprintf(anAnswered, "slow", 2), fmt.Sprintf(anAnswered, "last", 3)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	service := newAnswers(t, func(n int, _ *http.Request) (int, string) {
		switch n {
		case 0:
			return http.StatusOK, pageOf("", first)
		case 1:
			return http.StatusServiceUnavailable, `{"errors":[{"code":"unavailable","description":"Try again."}]}`
		case 2:
			return http.StatusOK, pageOf("", last, first)
		case 3:
			return http.StatusOK, pageOf("", last, slow, first)
		}
		stop()
		return http.StatusOK, pageOf("", last, slow, first)
	})
	var out, errs strings.Builder
	status := cli.Main(ctx, slices.Concat([]string{"integrator", "calls", "--follow"}, service.flags), cli.Streams{Out: &out, Err: &errs})
	var ids []string
	for line := range strings.Lines(out.String()) {
		fields := strings.Fields(line)
		ids = append(ids, fields[len(fields)-1])
	}
	if status != 0 || !slices.Equal(ids, []string{"first", "last", "slow"}) || !strings.Contains(errs.String(), "Try again. (unavailable); retrying") {
		t.Errorf("exit status %d, printed %v, %s", status, ids, errs.String())
	}
}

func TestDeliveriesShowTheirOutcome_D95(t *testing.T) {
	t.Parallel()
	service := newAnswers(t, func(int, *http.Request) (int, string) {
		return http.StatusOK, `{"deliveries":[{"jti":"j","event":"record.opened","url":"https://app.example/hook","outcome":"failed","reason":"http_5xx","description":"The receiver failed (5xx).",` +
			`"happenedAt":"2026-03-02T12:00:00Z","sentAt":"2026-03-02T12:00:00Z","finishedAt":"2026-03-02T12:00:01Z","durationMs":17,"status":502},` +
			`{"jti":"old","event":"ping","url":null,"outcome":"delivered","reason":null,"description":null,"happenedAt":"2026-01-02T12:00:00Z","sentAt":null,"finishedAt":"2026-01-02T12:00:01Z","durationMs":null,"status":null}],"next":null}`
	})
	o := service.run(t, "deliveries", "--outcome=failed", "--from=2026-03-02T00:00:00Z", "--jti=j")
	want := "2026-03-02T12:00:00Z  failed  record.opened  502  17ms  https://app.example/hook  j\n    The receiver failed (5xx). (http_5xx)\n2026-01-02T12:00:00Z  delivered  ping  old\n"
	if o.Status != 0 || o.Out != want {
		t.Errorf("printed is\n%s%s", o.Out, o.Err)
	}
	service.wantAsked(t, "GET /transactional-api/application/deliveries?from=2026-03-02T00%3A00%3A00Z&jti=j&limit=50&outcome=failed")
}

func TestAPingIsFollowedUntilItEnds_D95(t *testing.T) {
	t.Parallel()
	outcome := "delivered"
	service := newAnswers(t, func(n int, r *http.Request) (int, string) {
		switch {
		case r.Method == http.MethodPost:
			return http.StatusOK, `{"jti":"j","event":"record.opened","url":"https://app.example/hook"}`
		case n == 1 || outcome == "":
			return http.StatusOK, `{"deliveries":[],"next":null}`
		case n == 2:
			return http.StatusOK, `{"deliveries":[{"jti":"j","event":"ping","outcome":"sending","happenedAt":"2026-03-02T12:00:00Z","finishedAt":null}],"next":null}`
		}
		return http.StatusOK, `{"deliveries":[{"jti":"j","event":"ping","outcome":"` + outcome + `","happenedAt":"2026-03-02T12:00:00Z","finishedAt":"2026-03-02T12:00:01Z"}],"next":null}`
	})
	if o := service.run(t, "ping"); o.Status != 0 || o.Out != "A ping is on its way to https://app.example/hook (jti j).\n2026-03-02T12:00:00Z  delivered  ping  j\n" {
		t.Errorf("printed is\n%s%s", o.Out, o.Err)
	}
	outcome = "failed"
	service.run(t, "ping").WantFailure(t, 1, "the ping did not arrive: failed")
	outcome = ""
	service.run(t, "ping", "--wait=1ms").WantFailure(t, 1, "integrator deliveries --jti j")
	if o := service.run(t, "ping", "--wait=0", "--json"); o.Status != 0 || !strings.HasPrefix(o.Out, `{"jti":"j"`) {
		t.Errorf("printed is\n%s%s", o.Out, o.Err)
	}
}

func TestAnApplicationIsShownHowItStands_D95(t *testing.T) {
	t.Parallel()
	service := newAnswers(t, func(_ int, r *http.Request) (int, string) {
		if strings.HasSuffix(r.URL.Path, "/key-set") {
			return http.StatusOK, `{"url":"https://app.example/jwks","keys":[{"kid":"k","since":"2026-03-02T11:00:00Z"}],"fetchedAt":"2026-03-02T11:00:00Z","until":"2026-03-02T12:00:00Z",` +
				`"lastFetch":{"at":"2026-03-02T11:00:00Z","outcome":"read","description":"It was read.","keys":[{"kid":"small","usable":false,"why":"it has 1024 bits"}]}}`
		}
		return http.StatusOK, `{"applicationId":"` + clitest.SomeApplication + `","name":"Chart","tenantId":"elm","enabled":false,"grants":[],"callbacks":[],"webhooks":[{"event":"record.opened","url":"https://app.example/"}],"authorisations":{}}`
	})
	for _, test := range []struct {
		args []string
		says []string
	}{
		{[]string{"application"}, []string{"Chart (" + clitest.SomeApplication + ")", "has not enabled it", "It may call: nothing", "record.opened at https://app.example/"}},
		{[]string{"key-set"}, []string{"  k, since 2026-03-02T11:00:00Z", `"small" cannot be used: it has 1024 bits`, "used until 2026-03-02T12:00:00Z"}},
		{[]string{"key-set", "--reread", "--json"}, []string{`"outcome":"read"`}},
	} {
		o := service.run(t, test.args...)
		for _, text := range test.says {
			if o.Status != 0 || !strings.Contains(o.Out, text) {
				t.Errorf("%v does not say %q:\n%s%s", test.args, text, o.Out, o.Err)
			}
		}
	}
	service.wantAsked(t, "GET /transactional-api/application", "GET /transactional-api/application/key-set", "POST /transactional-api/application/key-set")
}

func TestServiceToAskIsNamedCompletely_D95(t *testing.T) {
	t.Parallel()
	key, _ := clitest.Keygen(t)
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--url=http://127.0.0.1:1"}, "with --url, also give --key and --application"},
		{[]string{"--url=http://127.0.0.1:1", "--key", key}, "give --key and --application together"},
		{[]string{"--dir", t.TempDir()}, "sandbox"},
	} {
		clitest.Frontdesk(t, append([]string{"integrator", "application"}, test.args...)...).WantFailure(t, 1, test.says)
	}
}
