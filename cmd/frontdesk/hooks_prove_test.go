//go:build prove

package main_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk.example/client"
	"frontdesk/adapters/clock"
)

// hookCounter is a receiver of webhooks, which counts them.
type hookCounter struct {
	*httptest.Server

	verifier *client.Verifier // nil accepts every webhook

	mu    sync.Mutex
	times map[string]int          // by path and jti
	last  map[uuid.UUID]time.Time // when a webhook of an event last arrived, at any receiver
}

func newHookCounter(t *testing.T) *hookCounter {
	r := &hookCounter{times: map[string]int{}, last: map[uuid.UUID]time.Time{}}
	r.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		token, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		if err := r.doubt(request.Context(), string(token)); err != nil {
			t.Errorf("received %q: %v", token, err)
		}
		r.received(t, request.URL.Path, string(token))
		time.Sleep(5 * time.Millisecond) // so that some always wait
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *hookCounter) doubt(ctx context.Context, token string) error {
	if r.verifier == nil {
		return nil
	}
	_, err := r.verifier.Verify(ctx, token)
	return err
}

func (r *hookCounter) received(t *testing.T, path, token string) {
	var claims struct{ JTI uuid.UUID }
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil || json.Unmarshal(payload, &claims) != nil {
		t.Errorf("received %q: %v", token, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times[path+" "+claims.JTI.String()]++
	r.last[claims.JTI] = clock.System()
}
