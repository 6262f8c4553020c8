package client

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// A token is valid for 60 seconds (§5.2) and used for half of them. It is dated back a little, so
// that it is valid if this clock is up to 70 seconds fast or 80 seconds slow: the service allows
// for 60 seconds.
const (
	lifetime  = 60 * time.Second
	datedBack = 10 * time.Second
	usedFor   = 30 * time.Second
	mostKept  = 1000 // tokens, so that many users do not exhaust memory
)

// caller is the caller of a token: the application itself, a user, or an act behind a call.
type caller struct {
	username string
	isUser   bool // and so must have a username
	act      *Act
}

// tokens mints tokens, and keeps each for a short burst of calls.
type tokens struct {
	application string
	signer      *Signer
	elsewhere   func(context.Context) (string, error) // mints instead, unless it is nil
	now         func() time.Time

	mu   sync.Mutex
	kept map[string]kept // by key and claims
}

type kept struct {
	token string
	until time.Time
}

// errElsewhere refuses a token for another caller than its own.
var errElsewhere = errors.New("AsUser and WithAct need a Signer: with Options.Token, the token names the caller")

// errNoUser refuses a call for an unnamed user, which would otherwise have the application's own
// rights.
var errNoUser = errors.New("AsUser must be given the username of a member of staff")

// claims are those of §5.2, without the times.
type claims struct {
	Issuer  string `json:"iss"`
	Subject string `json:"sub"`
	Party   string `json:"azp,omitempty"`
	Act     *Act   `json:"act,omitempty"`
}

// mint returns a token that is valid for at least 20 more seconds.
func (t *tokens) mint(ctx context.Context, who caller) (string, error) {
	if t.elsewhere != nil {
		if who != (caller{}) {
			return "", errElsewhere
		}
		return t.elsewhere(ctx)
	}
	if who.isUser && (who.username == "" || who.username == t.application) {
		return "", errNoUser
	}
	key := t.signer.current()
	claims := who.claims(t.application)
	text, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	name, now := key.KID+" "+string(text), t.now()
	if have := t.find(name); now.Before(have.until) && now.After(have.until.Add(-2*usedFor)) { // the clock may be set back
		return have.token, nil
	}
	token, err := key.sign(claims.issued(now.Add(-datedBack)))
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

// claims are those of the application's token for a caller.
func (c caller) claims(application string) claims {
	if c.isUser {
		return claims{Issuer: application, Subject: c.username, Party: application}
	}
	return claims{Issuer: application, Subject: application, Act: c.act}
}

func (c claims) issued(at time.Time) any {
	return struct {
		claims
		IssuedAt int64 `json:"iat"`
		Expiry   int64 `json:"exp"`
	}{c, at.Unix(), at.Unix() + int64(lifetime/time.Second)}
}

// Token signs a token of an application, for use outside a [Client]. It is valid for 60 seconds
// from an instant. With a username, it acts for that member of staff; with an empty one, for the
// application itself.
func (s *Signer) Token(application, username string, from time.Time) (string, error) {
	who := caller{username: username, isUser: username != ""}
	return s.current().sign(who.claims(application).issued(from))
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

// Act is the person or organisation behind a call of the application itself (§2.7). Auditors see
// it.
type Act struct {
	Practitioner Practitioner `json:"practitioner"`
	Organisation Organisation `json:"organisation"`
	Role         string       `json:"role,omitempty"`    // of the person, such as General practitioner
	Purpose      string       `json:"purpose,omitempty"` // of the call, such as TREAT
}

// Practitioner is a person of the application's own.
type Practitioner struct {
	Name      string `json:"name"`
	Email     string `json:"email"`
	GMCNumber string `json:"gmc_number,omitempty"` // seven digits
}

// Organisation is the practitioner's organisation.
type Organisation struct {
	Name    string `json:"name"`
	ODSCode string `json:"ods_code,omitempty"`
}
