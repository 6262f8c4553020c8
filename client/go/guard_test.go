package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk.example/client"
)

// proxied counts the calls that reach the proxy of the environment, for all tests of the package:
// net/http reads the environment once.
var proxied atomic.Int32

func TestMain(m *testing.M) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		proxied.Add(1)
		w.WriteHeader(http.StatusTeapot)
	}))
	for _, name := range []string{"HTTP_PROXY", "http_proxy"} {
		if err := os.Setenv(name, proxy.URL); err != nil {
			panic(err)
		}
	}
	status := m.Run()
	proxy.Close()
	os.Exit(status)
}

func TestATokenIsNotSentInClear_D99(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]error{
		"http://127.0.0.1:8080": nil, "http://[::1]:8080": nil, "http://localhost": nil, "http://elm-street.localhost:8080": nil, "https://elm-street.api.example/": nil,
		"http://elm-street.api.example": client.ErrInClear, "http://10.0.0.1": client.ErrInClear, "http://localhost.example": client.ErrInClear,
		"http://notlocalhost": client.ErrInClear, "ftp://127.0.0.1": client.ErrInClear,
	} {
		o := client.Options{BaseURL: url, Application: app, Signer: signer(t), Transport: transport(func(r *http.Request) (*http.Response, error) {
			return nil, errors.New("asked " + r.URL.Host)
		})}
		c, err := client.New(o)
		if !errors.Is(err, want) || (c == nil) != (want != nil) {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, none := range []string{"elm-street.api.example", "", "http://[::1"} {
		if _, err := client.New(client.Options{BaseURL: none, Application: app, Signer: signer(t)}); err == nil {
			t.Errorf("%q is an address", none)
		}
	}
}

// A redirect sends neither the token nor the body elsewhere.
func TestTokenFollowsNoRedirect(t *testing.T) {
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
	c, err := client.New(client.Options{BaseURL: leading.URL, Application: app, Signer: signer(t), Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	var refusal *client.ServiceError
	if _, err := c.Application(t.Context()); !errors.As(err, &refusal) || refusal.Status != http.StatusTemporaryRedirect || carried.Load() != 0 {
		t.Errorf("a redirect is followed with %d tokens: %v", carried.Load(), err)
	}
}

// The practices of a sandbox are below localhost. Neither a proxy, which net/http would use for
// such names, nor a resolver sends a token or a request for keys elsewhere.
func TestNamesBelowLocalhostStayHere(t *testing.T) {
	t.Parallel()
	set := signer(t).KeySet()
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "elm-street.localhost:") && r.URL.Path == "/transactional-api/ping" {
			_, _ = io.WriteString(w, pong)
			return
		}
		_, _ = w.Write(set)
	}))
	t.Cleanup(here.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(here.URL, "http://"), ":")
	base := "http://elm-street.localhost:" + port
	c, err := client.New(client.Options{BaseURL: base, Application: app, Signer: signer(t), Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.Ping(t.Context()); err != nil || got.TenantID != "elm-street" || proxied.Load() != 0 {
		t.Errorf("the proxy has %d tokens: %+v, %v", proxied.Load(), got, err)
	}
	v, err := client.NewVerifier(client.VerifierOptions{JWKSURL: base + "/jwks", Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Verify(t.Context(), webhook(aKey(), "one", nil)); err != nil || proxied.Load() != 0 {
		t.Errorf("the proxy is asked %d times: %v", proxied.Load(), err)
	}
}

func TestGivenTokenIsSentAsItIs(t *testing.T) {
	t.Parallel()
	lost := errors.New("no token")
	for _, c := range []struct {
		token string
		err   error
	}{{"a.b.c", nil}, {"", lost}} {
		service := &service{answers: []answer{says(200, pong)}}
		caller, err := client.New(client.Options{
			BaseURL: "https://elm-street.api.example", Transport: service,
			Token: func(context.Context) (string, error) { return c.token, c.err },
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := caller.Ping(t.Context()); !errors.Is(err, c.err) {
			t.Errorf("%v", err)
		}
		if c.err == nil && service.sent[0].Header.Get("Authorization") != "Bearer a.b.c" || c.err != nil && len(service.sent) != 0 {
			t.Errorf("it sends %v", service.sent)
		}
		before := len(service.sent)
		for _, other := range []*client.Client{caller.AsUser("ann.lee"), caller.WithAct(client.Act{})} {
			if _, err := other.Ping(t.Context()); err == nil || len(service.sent) != before {
				t.Errorf("a token is sent for another caller: %v", err)
			}
		}
	}
}
