package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Forged kids cause at most one fetch a second. The service publishes a key a day before it signs
// with it, except in an emergency.
const (
	refetchAfter = time.Second
	fetchLimit   = 5 * time.Second
	longestSet   = 1 << 20
)

// VerifierOptions define the service whose webhooks a [Verifier] verifies. The first is required.
type VerifierOptions struct {
	JWKSURL string           // {base_url}/transactional-api/jwks of any practice
	HTTP    *http.Client     // fetches the keys: by default, one with a timeout of 5 seconds
	Now     func() time.Time // time.Now by default
}

// A Verifier verifies webhooks with the service's published keys. Unlike a [Receiver], it accepts
// those of every practice, and accepts repetitions. It is safe for concurrent use.
type Verifier struct {
	keys fetchedKeys
	now  func() time.Time
}

// NewVerifier makes a verifier. Keys are fetched on demand.
func NewVerifier(o VerifierOptions) (*Verifier, error) {
	address, err := url.Parse(o.JWKSURL)
	if err != nil || !isGuarded(address) {
		return nil, fmt.Errorf("JWKSURL %q must begin with https://, because anyone who changes the keys in transit can forge webhooks", o.JWKSURL)
	}
	if o.HTTP == nil {
		o.HTTP = &http.Client{Timeout: fetchLimit, Transport: DefaultTransport(), CheckRedirect: unfollowed}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Verifier{fetchedKeys{url: o.JWKSURL, http: o.HTTP, now: o.Now, turn: make(chan struct{}, 1)}, o.Now}, nil
}

// Verify returns the content of a webhook's body that is received now, or a [WebhookError].
func (v *Verifier) Verify(ctx context.Context, body string) (Webhook, error) {
	signed, err := split(body)
	if err != nil {
		return Webhook{}, err
	}
	keys, err := v.keys.including(ctx, signed.kid)
	if err != nil {
		return Webhook{}, err
	}
	return signed.verify(keys, v.now())
}

// fetchedKeys are the service's keys, fetched again only for an unknown kid.
type fetchedKeys struct {
	url  string
	http *http.Client
	now  func() time.Time
	turn chan struct{} // a semaphore: its holder fetches

	mu   sync.Mutex
	keys Keys
	next time.Time // earliest time of the next fetch
	err  error     // of the last fetch
}

// including returns the keys, including this one if the service has it.
func (f *fetchedKeys) including(ctx context.Context, kid string) (Keys, error) {
	if keys, fresh, err := f.held(kid); fresh {
		return keys, err
	}
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return nil, refuse(KeysUnreachable, ": %w", ctx.Err())
	}
	if keys, fresh, err := f.held(kid); fresh { // another caller has fetched them meanwhile
		return keys, err
	}
	// The fetch is for all waiters. A caller who has sent a kid and hangs up must not cancel it:
	// repeated, that would hide the service's new key.
	fetching, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchLimit)
	defer cancel()
	keys, err := f.fetch(fetching)
	f.keep(keys, err)
	keys, _, err = f.held(kid)
	return keys, err
}

// held returns the current keys, and whether they are final: the key is among them, or it is too
// early for another fetch.
func (f *fetchedKeys) held(kid string) (keys Keys, enough bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keys[kid] != nil {
		return f.keys, true, nil
	}
	if f.err != nil {
		err = refuse(KeysUnreachable, ": %w", f.err)
	}
	return f.keys, f.now().Before(f.next), err
}

func (f *fetchedKeys) keep(keys Keys, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err, f.next = err, f.now().Add(refetchAfter)
	if err == nil {
		f.keys = keys
	}
}

func (f *fetchedKeys) fetch(ctx context.Context) (Keys, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := f.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", f.url, response.Status)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, longestSet))
	if err != nil {
		return nil, err
	}
	return ParseKeys(text)
}
