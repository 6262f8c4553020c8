package client_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"frontdesk.example/client"
)

// A caller who forges a kid and hangs up must not keep the receiver from finding a new key.
func TestCancelledCallerKeepsSharedFetch_D99(t *testing.T) {
	t.Parallel()
	set, asked, goOn := signer(t).KeySet(), make(chan struct{}), make(chan struct{})
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-goOn
		_, _ = w.Write(set)
	}))
	t.Cleanup(keys.Close)
	now := noon
	r := receiver(t, &publisher{Server: keys}, &now)
	forger, hangUp := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = r.Receive(forger, webhook(otherKey(), "forged", nil)) // whatever the result
	}()
	<-asked
	hangUp()
	close(goOn)
	<-ended
	if _, err := r.Receive(t.Context(), webhook(aKey(), "one", nil)); err != nil {
		t.Errorf("within the same second, a right webhook is refused: %v", err)
	}
}

func TestJWKSURLMustBeSecure_D99(t *testing.T) {
	t.Parallel()
	for address, taken := range map[string]bool{
		"https://api.example/jwks": true, "http://127.0.0.1:1/jwks": true, "http://localhost/jwks": true,
		"http://api.example/jwks": false, "http://10.0.0.1/jwks": false, "ftp://127.0.0.1/jwks": false, "jwks": false,
	} {
		_, err := client.NewReceiver(client.ReceiverOptions{JWKSURL: address, Tenant: client.Tenants("elm-street")})
		if (err == nil) != taken {
			t.Errorf("%s: %v", address, err)
		}
	}
	p, now := publish(t), noon
	elsewhere := httptest.NewServer(http.RedirectHandler(p.URL, http.StatusTemporaryRedirect))
	t.Cleanup(elsewhere.Close)
	r := receiver(t, &publisher{Server: elsewhere}, &now)
	if _, err := r.Receive(t.Context(), webhook(aKey(), "one", nil)); reason(err) != client.KeysUnreachable || p.fetches.Load() != 0 {
		t.Errorf("of a redirect it says %v, and %d fetches follow it", err, p.fetches.Load())
	}
}
