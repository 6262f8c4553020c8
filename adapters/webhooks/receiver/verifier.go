package receiver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Issuer is the iss of every webhook.
const Issuer = "service"

// The reasons why a webhook must not be believed.
var (
	ErrMalformed  = errors.New("it is not a JWT signed with RS256")
	ErrUnknownKey = errors.New("no published key has its kid")
	ErrSignature  = errors.New("its signature does not hold")
	ErrClaims     = errors.New("its claims are not those of a webhook")
	ErrIssuer     = errors.New(`its iss is not "service"`)
	ErrExpired    = errors.New("it has expired")
)

// Webhook is a verified webhook.
type Webhook struct {
	Token     string          // as it was received
	KID       string          // of the key that signed it
	Claims    json.RawMessage // all claims, exactly as they were signed
	Event     string
	ID        string // jti: the same if an event is received twice
	TenantID  string
	Data      json.RawMessage
	ExpiresAt time.Time
}

// Verifier checks webhooks against the keys that the service publishes (§6.5).
// It is safe for concurrent use.
type Verifier struct {
	JWKSURL string // {base_url}/transactional-api/jwks
	Client  *http.Client
	Now     func() time.Time

	mu      sync.Mutex
	keys    jose.JSONWebKeySet
	fetched time.Time
}

// Verify returns the webhook in a token, or why it must not be believed.
func (v *Verifier) Verify(ctx context.Context, token string) (Webhook, error) {
	parsed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		return Webhook{}, ErrMalformed
	}
	kid := parsed.Signatures[0].Protected.KeyID
	key, err := v.key(ctx, kid)
	if err != nil {
		return Webhook{}, err
	}
	claims, err := parsed.Verify(key)
	if err != nil {
		return Webhook{}, ErrSignature
	}
	webhook, err := v.read(kid, claims)
	webhook.Token = token
	return webhook, err
}

func (v *Verifier) read(kid string, claims []byte) (Webhook, error) {
	var c struct {
		Issuer    string          `json:"iss"`
		ExpiresAt int64           `json:"exp"`
		ID        string          `json:"jti"`
		Event     string          `json:"event"`
		TenantID  string          `json:"tenantId"`
		Data      json.RawMessage `json:"data"`
	}
	switch err := json.Unmarshal(claims, &c); {
	case err != nil, c.Event == "", c.ID == "", c.Data == nil:
		return Webhook{}, ErrClaims
	case c.Issuer != Issuer:
		return Webhook{}, ErrIssuer
	case !v.Now().Before(time.Unix(c.ExpiresAt, 0)):
		return Webhook{}, fmt.Errorf("%w at %s", ErrExpired, time.Unix(c.ExpiresAt, 0).UTC().Format(time.RFC3339))
	}
	return Webhook{
		KID: kid, Claims: claims, Event: c.Event, ID: c.ID, TenantID: c.TenantID, Data: c.Data, ExpiresAt: time.Unix(c.ExpiresAt, 0).UTC(),
	}, nil
}

// refetchAfter is how long an unknown kid causes no further fetch. Strangers
// can invent as many kids as they like.
const refetchAfter = time.Second

// key finds the key of a kid. It fetches the set only if the kid is not in it.
func (v *Verifier) key(ctx context.Context, kid string) (*jose.JSONWebKey, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if found := v.keys.Key(kid); len(found) == 1 {
		return &found[0], nil
	}
	if !v.fetched.IsZero() && v.Now().Sub(v.fetched) < refetchAfter {
		return nil, ErrUnknownKey
	}
	if err := v.fetch(ctx); err != nil {
		return nil, fmt.Errorf("fetch %s: %w", v.JWKSURL, err)
	}
	if found := v.keys.Key(kid); len(found) == 1 {
		return &found[0], nil
	}
	return nil, ErrUnknownKey
}

const fetchLimit = 5 * time.Second

func (v *Verifier) fetch(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.JWKSURL, nil)
	if err != nil {
		return err
	}
	response, err := v.Client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	var keys jose.JSONWebKeySet
	if err := json.NewDecoder(http.MaxBytesReader(nil, response.Body, maxBody)).Decode(&keys); err != nil {
		return fmt.Errorf("read key set: %w", err)
	}
	v.keys, v.fetched = keys, v.Now()
	return nil
}
