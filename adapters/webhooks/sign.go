package webhooks

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/signingkey"
)

// issuer is the iss claim of every webhook.
const issuer = "service"

// claims are the claims of a webhook (§6.4).
type claims struct {
	Issuer    string                   `json:"iss"`
	IssuedAt  int64                    `json:"iat"`
	ExpiresAt int64                    `json:"exp"`
	ID        uuid.UUID                `json:"jti"` // the event's id: the same for every receiver
	Event     application.WebhookEvent `json:"event"`
	TenantID  string                   `json:"tenantId"`
	Data      any                      `json:"data"` // one of the types in kinds.go
}

// claims returns the claims of the delivery, with the names at the time of signing.
func (d delivery) claims(now time.Time) claims {
	return claims{
		Issuer: issuer, IssuedAt: now.Unix(), ExpiresAt: now.Add(lifetime).Unix(), ID: d.event.ID,
		Event: d.notice.kind, TenantID: d.event.Stream.Tenant, Data: d.notice.data(*d.names),
	}
}

// signingKey is the key that was active when deliveries were claimed.
type signingKey struct {
	kid  signingkey.KID
	sign func(payload []byte) (jwt string, err error)
}

// tokens signs each event once for all destinations that are sent to at about the same
// time: signing is the most expensive step.
type tokens struct {
	now   func() time.Time
	slots chan struct{} // one signature at a time for each core

	mu    sync.Mutex
	kept  map[uuid.UUID]*token
	order []uuid.UUID // oldest first
}

// token is a signed webhook, or one that is being signed.
type token struct {
	once  sync.Once
	begun time.Time
	kid   signingkey.KID
	text  string
	err   error
}

func newTokens(now func() time.Time, atOnce int) *tokens {
	return &tokens{now: now, slots: make(chan struct{}, atOnce), kept: map[uuid.UUID]*token{}}
}

// tokenFor returns the token of a delivery's event: a recent one, or a new one.
func (t *tokens) tokenFor(d delivery) *token {
	shared := t.share(d.event.ID)
	shared.once.Do(func() {
		t.slots <- struct{}{}
		defer func() { <-t.slots }()
		shared.kid = d.key.kid
		shared.text, shared.err = d.sign(t.now())
	})
	return shared
}

func (d delivery) sign(now time.Time) (string, error) {
	payload, err := json.Marshal(d.claims(now))
	if err != nil {
		return "", fmt.Errorf("encode webhook: %w", err)
	}
	return d.key.sign(payload)
}

func (t *tokens) share(event uuid.UUID) *token {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if known, ok := t.kept[event]; ok && now.Sub(known.begun) <= sharedFor {
		return known
	}
	t.forget(now)
	fresh := &token{begun: now}
	t.kept[event] = fresh
	t.order = append(t.order, event)
	return fresh
}

// forget removes the tokens that are too old to share, and the oldest if there are too
// many.
func (t *tokens) forget(now time.Time) {
	for len(t.order) > 0 {
		oldest := t.order[0]
		known := t.kept[oldest]
		if known != nil && now.Sub(known.begun) <= sharedFor && len(t.order) < tokensKept {
			return
		}
		delete(t.kept, oldest)
		t.order = t.order[1:]
	}
}
