package client

import (
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// A token lives for 60 seconds (§5.2) and is used for half of them. It is dated back a
// little, so that it is good if this clock is up to 70 seconds fast or 80 seconds slow: the
// service allows for 60 seconds.
const (
	lifetime  = 60 * time.Second
	datedBack = 10 * time.Second
	usedFor   = 30 * time.Second
	mostKept  = 1000 // tokens, so that many users do not fill the memory
)

// caller is for whom a token is: the application itself, a user, or who is behind a call.
type caller struct {
	username string
	isUser   bool // and so must have a username
	act      *Act
}

// tokens mints tokens, and keeps each for a short burst of calls.
type tokens struct {
	application string
	signer      *Signer
	now         func() time.Time

	mu   sync.Mutex
	kept map[string]kept // by key and claims
}

type kept struct {
	token string
	until time.Time
}

// errNoUser keeps what a user was meant to ask from being asked with the application's own
// rights.
var errNoUser = errors.New("AsUser must be given the username of a member of staff")

// claims are those of §5.2, but for the times.
type claims struct {
	Issuer  string `json:"iss"`
	Subject string `json:"sub"`
	Party   string `json:"azp,omitempty"`
	Act     *Act   `json:"act,omitempty"`
}

// mint returns a token that has at least 20 seconds to go.
func (t *tokens) mint(who caller) (string, error) {
	if who.isUser && (who.username == "" || who.username == t.application) {
		return "", errNoUser
	}
	key := t.signer.current()
	claims := claims{Issuer: t.application, Subject: t.application, Act: who.act}
	if who.isUser {
		claims.Subject, claims.Party = who.username, t.application
	}
	text, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	name, now := key.KID+" "+string(text), t.now()
	if have := t.find(name); now.Before(have.until) && now.After(have.until.Add(-2*usedFor)) { // the clock may be set back
		return have.token, nil
	}
	token, err := key.sign(timed(claims, now))
	if err != nil {
		return "", err
	}
	t.keep(name, kept{token, now.Add(usedFor)}, now)
	return token, nil
}

func (t *tokens) find(name string) kept {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept[name]
}

func timed(c claims, now time.Time) any {
	issued := now.Add(-datedBack)
	return struct {
		claims
		IssuedAt int64 `json:"iat"`
		Expiry   int64 `json:"exp"`
	}{c, issued.Unix(), issued.Unix() + int64(lifetime/time.Second)}
}

func (t *tokens) keep(name string, fresh kept, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for other, old := range t.kept {
		if !now.Before(old.until) {
			delete(t.kept, other)
		}
	}
	if t.kept == nil || len(t.kept) >= mostKept {
		t.kept = map[string]kept{}
	}
	t.kept[name] = fresh
}
