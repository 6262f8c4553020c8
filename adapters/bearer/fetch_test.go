package bearer_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/outbound"
)

// guardedCache makes real fetches, where guard allows.
func guardedCache(t *testing.T, guard outbound.Guard) *bearer.KeyCache {
	cache := bearer.NewKeyCache(bearer.KeyCacheConfig{
		Transport: outbound.NewTransport(guard, nil), CheckURL: guard.CheckURL, Now: func() time.Time { return noon },
	})
	t.Cleanup(cache.Close)
	return cache
}

var loopback = outbound.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

// keyServer is a server of the application's keys.
func keyServer(t *testing.T) *bearertest.Server {
	server := bearertest.NewServer(app.JWKS())
	t.Cleanup(server.Close)
	return server
}

func TestAPublishedSetIsFetched(t *testing.T) {
	t.Parallel()
	server := keyServer(t)
	cache := guardedCache(t, loopback)
	for range 2 {
		if keys, err := cache.Get(t.Context(), server.URL); err != nil || keys.Len() != 1 {
			t.Errorf("%v, %d keys", err, keys.Len())
		}
	}
	if n := server.Fetches(); n != 1 {
		t.Errorf("%d fetches", n)
	}
}

// A key server sees the client, the accepted type, and that a cached copy is not
// enough.
func TestFetchHeaders(t *testing.T) {
	t.Parallel()
	server, seen := keyServer(t), make(chan http.Header, 1)
	server.Answer(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Clone()
		_, _ = w.Write(app.JWKS())
	})
	if _, err := guardedCache(t, loopback).Get(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	header := <-seen
	for name, want := range map[string]string{
		"Accept": "application/jwk-set+json, application/json", "Cache-Control": "no-cache", "User-Agent": "frontdesk",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

func TestASetOfExactlyTheBoundIsRead(t *testing.T) {
	t.Parallel()
	server := keyServer(t)
	server.Answer(body(200, string(app.JWKS())+strings.Repeat(" ", 256<<10-len(app.JWKS()))))
	if _, err := guardedCache(t, loopback).Get(t.Context(), server.URL); err != nil {
		t.Error(err)
	}
}

func TestAGigabyteIsNotRead(t *testing.T) {
	t.Parallel()
	server := keyServer(t)
	sent := make(chan int, 1)
	server.Answer(func(w http.ResponseWriter, _ *http.Request) {
		chunk, total := make([]byte, 64<<10), 0
		for range 1 << 30 / len(chunk) {
			n, err := w.Write(chunk)
			total += n
			if err != nil {
				break
			}
		}
		sent <- total
	})
	_, err := guardedCache(t, loopback).Get(t.Context(), server.URL)
	refused(t, err, "Unable to obtain JWKS from "+server.URL+": the response was not JSON")
	if total := <-sent; total > 64<<20 { // the system's buffers, generously
		t.Errorf("%d bytes were sent before the client hung up", total)
	}
}

func TestAnAddressThatIsNotOpenIsNotFetched(t *testing.T) {
	t.Parallel()
	server := keyServer(t)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	_, port, _ := net.SplitHostPort(secure.Listener.Addr().String())
	cache := guardedCache(t, outbound.Guard{})
	for _, url := range []string{server.URL, secure.URL, "https://localhost:" + port, "https://user@keys.example/", "", "gopher://keys.example/"} {
		_, err := cache.Get(t.Context(), url)
		refused(t, err, "Unable to obtain JWKS from "+url+": the URL did not respond")
	}
	_, err := cache.Get(t.Context(), "https://localhost:"+port)
	if !errors.Is(err, outbound.ErrBlocked) {
		t.Errorf("the log is told %v", err)
	}
	if n := server.Fetches(); n != 0 {
		t.Errorf("%d fetches", n)
	}
}

// Servers that keep the connection and do not come to an end.
func TestAFetchTakesFiveSeconds(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"hangs": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"drips": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte(" "))
				_ = http.NewResponseController(w).Flush()
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cache := bearer.NewKeyCache(bearer.KeyCacheConfig{
					Transport: pipeTo(t, answer), CheckURL: func(string) error { return nil }, Now: clock.System,
				})
				defer cache.Close()
				came := clock.Start()
				_, err := cache.Get(t.Context(), "http://keys.example/")
				refused(t, err, "Unable to obtain JWKS from http://keys.example/: the URL did not respond")
				if took := came.Elapsed(); took != 5*time.Second {
					t.Errorf("refused after %v", took)
				}
			})
		})
	}
}
