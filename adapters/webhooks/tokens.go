package webhooks

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/signingkey"
)

const (
	// sharedFor is how long the destinations of an event share a token after it
	// was signed (D29).
	sharedFor = 5 * time.Second
	// tokensKept bounds the memory for it. Beyond it, some are signed again.
	tokensKept = 1024
)

// tokens signs each event once for all destinations that are sent to at about
// the same time: signing is the dearest step by far.
type tokens struct {
	now   func() time.Time
	slots chan struct{} // as many signatures at once as there are cores

	mu    sync.Mutex
	kept  map[uuid.UUID]*token
	order []uuid.UUID // oldest first
}

// token is a signed webhook, or one that is being signed.
type token struct {
	sign   sync.Once
	begun  time.Time
	kid    signingkey.KID
	text   string
	failed error
}

func newTokens(now func() time.Time, atOnce int) *tokens {
	return &tokens{now: now, slots: make(chan struct{}, atOnce), kept: map[uuid.UUID]*token{}}
}

// of is the token for an event: one that is young enough, or a new one.
func (t *tokens) of(d dispatch) *token {
	shared := t.share(d.recorded.ID)
	shared.sign.Do(func() {
		t.slots <- struct{}{}
		defer func() { <-t.slots }()
		claims, tells := claimsOf(d.recorded, d.names, t.now())
		if !tells {
			shared.failed = errNothingToTell
			return
		}
		shared.kid = d.signer.kid
		shared.text, shared.failed = d.signer.sign(claims)
	})
	return shared
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

// forget drops what is too old to be shared, and the oldest when it is full.
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
