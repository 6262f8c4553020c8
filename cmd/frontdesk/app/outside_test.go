package app_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
)

// outside is a service behind TLS, whose name and ports are the test's own.
func outside(t *testing.T, secure, plain http.Handler) app.Outside {
	t.Helper()
	tlsServer, plainServer := httptest.NewTLSServer(secure), httptest.NewServer(plain)
	t.Cleanup(tlsServer.Close)
	t.Cleanup(plainServer.Close)
	ports := map[string]string{"example.com:443": tlsServer.Listener.Addr().String(), "example.com:80": plainServer.Listener.Addr().String()}
	at, err := app.ParseOutside("https://example.com/")
	must(t, err)
	return app.Outside{
		URL: at, Roots: tlsServer.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, Now: clock.System,
		Lookup: func(context.Context, string) ([]string, error) { return []string{"203.0.113.7"}, nil },
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, ports[address])
		},
	}
}

// says is a finding as a line, without its attributes.
func says(f app.Finding) string {
	switch {
	case f.Err != nil:
		return "FAILED: " + f.Err.Error()
	case f.Warns:
		return "fix: " + f.Says
	}
	return "ok: " + f.Says
}

func wantFindings(t *testing.T, all []app.Finding, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for _, f := range all {
		got[f.What] = says(f)
	}
	for what, begins := range want {
		if begins == "" {
			if _, ok := got[what]; ok {
				t.Errorf("%s is %q, and should be left out", what, got[what])
			}
		} else if !strings.HasPrefix(got[what], begins) {
			t.Errorf("%s is %q, want %q", what, got[what], begins)
		}
	}
}

// A program that serves, a proxy with TLS before it, and a listener that refuses plain calls.
func TestRunningServiceIsChecked_D179(t *testing.T) {
	t.Parallel()
	d := open(t)
	service, err := url.Parse(d.URL())
	must(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(service) }} // under the name that the test's service has
	o := outside(t, proxy, http.RedirectHandler("https://example.com/", http.StatusPermanentRedirect))
	all := app.Check(t.Context(), app.Config{DatabaseURL: d.DB.URL, Listen: d.URL(), MasterKeys: sealing.NewRing(sealing.MasterKey{1})}, &o)
	wantFindings(t, all, map[string]string{
		"database": "ok: can be reached", "public listener": "", "processes": "ok: ", "signer": "fix: no checkpoint was ever signed", "archive": "fix: Postgres archives no WAL",
		"name": "ok: example.com is 203.0.113.7", "certificate": "ok: the system trusts it until ", "key set": "ok: 1 keys are published, and the clocks agree",
		"refusal": "ok: a call without a token is answered 40", "plain http": "ok: no call is answered without TLS",
	})
}

// A signer that has stopped is no good state, however often it has signed.
func TestUnsignedEventsAreFound_D179(t *testing.T) {
	t.Parallel()
	d := open(t)
	o := outside(t, http.NotFoundHandler(), http.NotFoundHandler())
	for signed, want := range map[string]string{
		`(SELECT max(recorded_at) FROM events)`: "ok: the last checkpoint is of ", `(SELECT min(recorded_at) - interval '1 minute' FROM events)`: "fix: newer events have no checkpoint",
	} {
		_, err := d.DB.SuperuserPool(t).Exec(t.Context(), `DELETE FROM checkpoints; INSERT INTO checkpoints (tenant, kind, epoch, day, size, note, signed_at) VALUES ('elm-street', 1, 1, now(), 1, '', `+signed+`)`)
		must(t, err)
		all := app.Check(t.Context(), app.Config{DatabaseURL: d.DB.URL, Listen: d.URL(), MasterKeys: sealing.NewRing(sealing.MasterKey{1})}, &o)
		wantFindings(t, all, map[string]string{"signer": want})
	}
}

func TestFaultsAreSeenFromOutside_D179(t *testing.T) {
	t.Parallel()
	good := func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			rw.WriteHeader(http.StatusUnauthorized)
			_, _ = rw.Write([]byte(`{"errors":[{"code":"unauthenticated"}]}`))
			return
		}
		_, _ = rw.Write([]byte(`{"keys":[{}]}`))
	}
	answering := func(status int, body string) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				good(rw, r)
				return
			}
			rw.WriteHeader(status)
			_, _ = rw.Write([]byte(body))
		}
	}
	for name, c := range map[string]struct {
		secure, plain http.HandlerFunc
		edit          func(*app.Outside)
		want          map[string]string
	}{
		"no name": {secure: good, edit: func(o *app.Outside) {
			o.Lookup = func(context.Context, string) ([]string, error) { return nil, errors.New("no such host") }
		}, want: map[string]string{"name": "FAILED: give example.com an address in DNS: no such host", "certificate": ""}},
		"no listener": {secure: good, edit: func(o *app.Outside) {
			o.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("connection refused") }
		}, want: map[string]string{"certificate": "FAILED: start the proxy, and open its port: connection refused", "key set": ""}},
		"a strange certificate": {secure: good, edit: func(o *app.Outside) { o.Roots = nil }, want: map[string]string{
			"certificate": "FAILED: give the proxy a certificate for example.com: ", "key set": "",
		}},
		"a certificate that ends": {secure: good, edit: func(o *app.Outside) {
			o.Now = func() time.Time { return time.Date(2084, 1, 25, 0, 0, 0, 0, time.UTC) } // that of the test ends on 29 January
		}, want: map[string]string{"certificate": "fix: it ends soon"}},
		"another clock": {secure: good, edit: func(o *app.Outside) {
			o.Now = func() time.Time { return clock.System().Add(time.Minute) }
		}, want: map[string]string{"key set": "fix: the clock of this machine differs from the service's"}},
		"no service": {secure: http.NotFound, want: map[string]string{"key set": "FAILED: the service answers 404 Not Found, and no key set", "refusal": ""}},
		"a proxy that refuses by itself": {secure: answering(http.StatusForbidden, "<html>"), want: map[string]string{
			"refusal": "FAILED: a call without a token is answered 403 Forbidden, and not refused as the contract says",
		}},
		"a service without a lock": {secure: answering(http.StatusOK, `{"errors":[{"code":"none"}]}`), want: map[string]string{"refusal": "FAILED: a call without a token is answered 200 OK"}},
		"calls without TLS":        {secure: good, plain: good, want: map[string]string{"refusal": "ok: ", "plain http": "fix: calls are answered without TLS"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain := http.NotFoundHandler()
			if c.plain != nil {
				plain = c.plain
			}
			o := outside(t, c.secure, plain)
			if c.edit != nil {
				c.edit(&o)
			}
			wantFindings(t, o.Check(t.Context()), c.want)
		})
	}
}

func TestAddressOfCheckIsParsed_D179(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"https://elm-street.api.example.org": true, "https://elm-street.api.example.org/": true, "https://elm-street.api.example.org:8443": true,
		"http://elm-street.api.example.org": false, "elm-street.api.example.org": false, "https://": false, "https://elm.example/transactional-api": false,
		"https://alice@elm.example": false, "https://elm.example?tenant=elm": false, "https://elm.example#elm": false, "https://%": false,
	} {
		if at, err := app.ParseOutside(text); (err == nil) != good || good && at.Path != "" {
			t.Errorf("%s: %v, %v", text, at, err)
		}
	}
}
