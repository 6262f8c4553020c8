//go:build prove

package trouble_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/adapters/outbound"
)

var loopback = outbound.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

// receiver counts the webhooks that it gets, by application and jti, whatever it answers.
type receiver struct {
	*httptest.Server
	rude atomic.Int64 // how many of a hundred it does not answer properly

	mu   sync.Mutex
	dice *rand.Rand
	got  map[string]int // "/application/jti" → times
}

func newReceiver(t *testing.T, dice *rand.Rand) *receiver {
	t.Helper()
	r := &receiver{dice: dice, got: map[string]int{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(func() { r.CloseClientConnections(); r.Close() })
	return r
}

// address is where an application takes its webhooks. Only https can be registered.
func (r *receiver) address(application string) string {
	return strings.Replace(r.URL, "http:", "https:", 1) + "/" + application
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // a partial body is not received
	}
	way := r.count(request.URL.Path + "/" + jtiOf(string(body)))
	switch {
	case way >= r.rude.Load():
		w.WriteHeader(http.StatusNoContent)
	case way%3 == 0:
		w.WriteHeader(http.StatusInternalServerError)
	case way%3 == 1:
		panic(http.ErrAbortHandler) // the connection ends without an answer
	default:
		wait(request.Context(), 3*time.Second) // longer than a sender waits
	}
}

func (r *receiver) count(delivery string) (way int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got[delivery]++
	return r.dice.Int64N(100)
}

func (r *receiver) received() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.got)
}

// jtiOf reads a token's jti without verifying it.
func jtiOf(token string) string {
	var claims struct{ JTI string }
	parts := strings.Split(token, ".")
	payload, err := base64.RawURLEncoding.DecodeString(parts[min(1, len(parts)-1)])
	if err == nil {
		err = json.Unmarshal(payload, &claims)
	}
	if err != nil || claims.JTI == "" {
		return fmt.Sprintf("unreadable: %v", err)
	}
	return claims.JTI
}
