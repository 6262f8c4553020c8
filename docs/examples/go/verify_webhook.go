// Command verify_webhook verifies a webhook. It reads the webhook's body from
// standard input and the service's keys from a URL.
//
//	go run ./docs/examples/go {base_url}/transactional-api/jwks < body
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// A Verifier keeps the service's keys. It fetches them again only for an unknown
// kid.
type Verifier struct {
	JWKSURL string
	Client  *http.Client

	mu   sync.Mutex
	keys jose.JSONWebKeySet
}

// Claims are what a webhook says.
type Claims struct {
	jwt.Claims
	Event    string          `json:"event"`
	TenantID string          `json:"tenantId"`
	Data     json.RawMessage `json:"data"`
}

// Verify returns the claims of a webhook's body that is received now, or why it
// must not be believed.
func (v *Verifier) Verify(ctx context.Context, body string, now time.Time) (claims Claims, err error) {
	token, err := jwt.ParseSigned(body, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		return claims, err
	}
	key, err := v.key(ctx, token.Headers[0].KeyID)
	if err != nil {
		return claims, err
	}
	if err := token.Claims(key, &claims); err != nil {
		return claims, err
	}
	if claims.Expiry == nil || claims.Event == "" || claims.ID == "" {
		return claims, errors.New("claims are missing")
	}
	return claims, claims.ValidateWithLeeway(jwt.Expected{Issuer: "service", Time: now}, 0)
}

func (v *Verifier) key(ctx context.Context, kid string) (*jose.JSONWebKey, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for fetched := false; ; fetched = true {
		if found := v.keys.Key(kid); len(found) == 1 {
			return &found[0], nil
		}
		if fetched {
			return nil, fmt.Errorf("the service has no key %q", kid)
		}
		if err := v.fetch(ctx); err != nil {
			return nil, fmt.Errorf("fetch keys: %w", err)
		}
	}
}

func (v *Verifier) fetch(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.JWKSURL, http.NoBody)
	if err != nil {
		return err
	}
	response, err := v.Client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&v.keys)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: verify_webhook JWKS-URL < body")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "not to be believed:", err)
		os.Exit(1)
	}
}

func run(jwksURL string) error {
	body, err := io.ReadAll(io.LimitReader(os.Stdin, 64<<10))
	if err != nil {
		return err
	}
	verifier := &Verifier{JWKSURL: jwksURL, Client: &http.Client{Timeout: 10 * time.Second}}
	claims, err := verifier.Verify(context.Background(), strings.TrimSpace(string(body)), time.Now())
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(claims)
}
