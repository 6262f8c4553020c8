package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// ReceiverOptions define the webhooks that a [Receiver] accepts. The first two are required.
type ReceiverOptions struct {
	JWKSURL string                     // {base_url}/transactional-api/jwks of any practice
	Tenant  func(tenantID string) bool // whether the application serves this practice; see [Tenants]

	// Remembered limits the webhooks that are remembered to detect repetitions: 100,000 by default.
	// Expired ones are forgotten.
	Remembered int
	// HTTP fetches the keys: by default, a client with a timeout of 5 seconds.
	HTTP *http.Client
	// OnRefusal gets the reason for each refused webhook. By default, they are logged with log/slog,
	// for each reason once a minute.
	OnRefusal func(*WebhookError)
	// Now returns the time: time.Now by default.
	Now func() time.Time
}

// Tenants are the practices that the application serves, if they are known in advance.
func Tenants(tenantIDs ...string) func(string) bool {
	served := map[string]bool{}
	for _, id := range tenantIDs {
		served[id] = true
	}
	return func(tenantID string) bool { return served[tenantID] }
}

// A Receiver accepts webhooks, each once, and only those that the service has sent to a practice
// that the application serves. It is safe for concurrent use.
type Receiver struct {
	options  ReceiverOptions
	verifier *Verifier
	seen     seenWebhooks
}

// NewReceiver makes a receiver.
func NewReceiver(o ReceiverOptions) (*Receiver, error) {
	if o.Tenant == nil {
		return nil, errors.New("options must name the Tenant that is served")
	}
	verifier, err := NewVerifier(VerifierOptions{JWKSURL: o.JWKSURL, HTTP: o.HTTP, Now: o.Now})
	if err != nil {
		return nil, err
	}
	if o.Remembered <= 0 {
		o.Remembered = 100_000
	}
	if o.OnRefusal == nil {
		o.OnRefusal = (&warnings{now: verifier.now, last: map[Reason]warned{}}).warn
	}
	return &Receiver{options: o, verifier: verifier, seen: seenWebhooks{most: o.Remembered, until: map[string]time.Time{}}}, nil
}

// Receive returns the content of a webhook's body that is received now, or a [WebhookError].
func (r *Receiver) Receive(ctx context.Context, body string) (Webhook, error) {
	webhook, err := r.verifier.Verify(ctx, body)
	if err != nil {
		return Webhook{}, err
	}
	if !r.options.Tenant(webhook.TenantID) {
		return Webhook{}, refuse(WrongTenant, ": %.100q", webhook.TenantID)
	}
	if !r.seen.first(webhook.JTI, webhook.Expires, r.verifier.now()) {
		return Webhook{}, &WebhookError{Reason: Replayed}
	}
	return webhook, nil
}

const longestWebhook = 64 << 10

// Handler receives webhooks by HTTP, and calls handle once for each. The service waits for about 10
// seconds, so handle should queue the work and return. Its answers are 204; 500 if handle fails;
// 409 for a repetition; 400 and 503 for other refused webhooks. A refusal's body is its [Reason].
func (r *Receiver) Handler(handle func(context.Context, Webhook) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, longestWebhook))
		if err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		webhook, err := r.Receive(request.Context(), strings.TrimSpace(string(body)))
		var why *WebhookError
		switch {
		case errors.As(err, &why):
			r.options.OnRefusal(why)
			why.answer(w)
		case handle(request.Context(), webhook) != nil:
			w.WriteHeader(http.StatusInternalServerError)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
}

// seenWebhooks are the webhooks that were received and have not expired. Above its limit, it forgets the
// oldest.
type seenWebhooks struct {
	most int

	mu    sync.Mutex
	until map[string]time.Time
	order []string // oldest first
}

// first reports whether this webhook is received for the first time.
func (s *seenWebhooks) first(jti string, until, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(now)
	if _, again := s.until[jti]; again {
		return false
	}
	s.until[jti], s.order = until, append(s.order, jti)
	return true
}

func (s *seenWebhooks) forget(now time.Time) {
	for len(s.order) > 0 && (len(s.order) >= s.most || !now.Before(s.until[s.order[0]])) {
		delete(s.until, s.order[0])
		s.order = s.order[1:]
	}
}
