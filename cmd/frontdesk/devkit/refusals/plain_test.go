package refusals_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk.example/client"
	"frontdesk/cmd/frontdesk/devkit/refusals"
)

func TestClientErrorsArePrintedPlainly(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]func(w http.ResponseWriter){
		"Wait 42 s. (rate-limited)": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"errors":[{"code":"rate-limited","description":"Wait 42 s."},{"code":"other","description":"Other."}]}`)
		},
		"the service answered 502": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, "<h1>Bad gateway</h1>")
		},
		"the service answered 403": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"errors":[{}]}`)
		},
		"read the answer of application: status 200 without the service's JSON": func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, "<h1>Welcome</h1>")
		},
		"read the answer of application: unexpected EOF": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "{")
		},
		"ask the service: Get \"http://127.0.0.1:": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w) }))
		t.Cleanup(server.Close)
		service, err := client.New(client.Options{
			BaseURL: server.URL, Attempts: 1, Token: func(context.Context) (string, error) { return "a.b.c", nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = service.Application(t.Context())
		if err == nil || !strings.HasPrefix(refusals.Plain(err).Error(), want) {
			t.Errorf("%v is printed as %v, want %s", err, refusals.Plain(err), want)
		}
	}
	if other := errors.New("no key"); !errors.Is(refusals.Plain(other), other) {
		t.Error("another error is changed")
	}
}
