package testworld

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk.example/client"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/webhooks/receiver"
	"frontdesk/commands"
	"frontdesk/domain/application"
)

// Receiver receives the webhooks of an application by https, and verifies each with the
// keys that the program publishes.
type Receiver struct {
	world  *World
	status atomic.Int64 // answered to every webhook; 0 for a receiver that works

	mu       sync.Mutex
	received []receiver.Webhook
}

// Receive starts a receiver, and registers it for these events. It stops when the test ends.
func (a *Application) Receive(events ...application.WebhookEvent) *Receiver {
	a.world.tb.Helper()
	r := &Receiver{world: a.world}
	handler := receiver.Handler{Verifier: r.verifier(a.enabled), Received: r.keep}
	server, err := receiver.Listen(a.world.tb.Context(), "127.0.0.1:0", a.world.Authority, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if status := int(r.status.Load()); status != 0 {
			http.Error(w, "out of order", status)
			return
		}
		handler.ServeHTTP(w, request)
	}), clock.System())
	Must(a.world.tb, err)
	a.world.tb.Cleanup(server.Close)
	for _, event := range events {
		Must(a.world.tb, a.world.Desk.SetWebhook(a.world.tb.Context(), commands.SetWebhook{Application: a.ID, Event: event, URL: server.URL()}))
	}
	return r
}

// verifier fetches the keys from a practice's host.
func (r *Receiver) verifier(tenant string) *client.Verifier {
	verifier, err := NewVerifier(tenant, r.world.URL, r.world.Now)
	Must(r.world.tb, err)
	return verifier
}

// NewVerifier verifies webhooks with the keys of a practice's host, as if through its proxy:
// the program is served at a URL, by http.
func NewVerifier(tenant string, program func() string, now func() time.Time) (*client.Verifier, error) {
	return client.NewVerifier(client.VerifierOptions{
		JWKSURL: "https://" + tenant + "." + APIDomain + "/transactional-api/jwks", HTTP: &http.Client{Transport: proxy(program)}, Now: now,
	})
}

// proxy terminates TLS, as one in front of the program does.
type proxy func() string

// RoundTrip sends a request on a connection of its own.
func (p proxy) RoundTrip(r *http.Request) (*http.Response, error) {
	on := r.Clone(r.Context())
	on.Host = r.URL.Host
	on.URL.Scheme, on.URL.Host = "http", strings.TrimPrefix(p(), "http://")
	return (&http.Transport{DisableKeepAlives: true}).RoundTrip(on)
}

func (r *Receiver) keep(_ context.Context, webhook receiver.Webhook) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.received = append(r.received, webhook)
	return nil
}

// Fail answers every webhook with a status from now on; 0 for a receiver that works again.
func (r *Receiver) Fail(status int) { r.status.Store(int64(status)) }

// Received returns the genuine webhooks so far, in the order in which they arrived.
func (r *Receiver) Received() []receiver.Webhook {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.received)
}

// Await waits until there are n webhooks, and returns all of them.
func (r *Receiver) Await(n int) []receiver.Webhook {
	r.world.tb.Helper()
	clocktest.Eventually(r.world.tb, func() bool { return len(r.Received()) >= n }, "%d webhooks", n)
	return r.Received()
}
