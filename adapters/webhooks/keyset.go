package webhooks

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"frontdesk/domain/signingkey"
	"frontdesk/projections"
)

// KeySet is the public keys that receivers check webhooks with (§4.3).
type KeySet struct {
	Keys projections.SigningKeys

	mu   sync.Mutex
	last []byte
}

// jwk is a public key as it is published (RFC 7517).
type jwk struct {
	Type      string         `json:"kty"`
	Use       string         `json:"use"`
	Algorithm string         `json:"alg"`
	KID       signingkey.KID `json:"kid"`
	signingkey.PublicKey
}

// Document is the JWK set. It is read anew each time, so that nobody asks too
// early for a key that has just begun to sign; while the database is away the
// last one is repeated.
func (s *KeySet) Document(ctx context.Context) ([]byte, error) {
	published, err := s.Keys.Published(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && s.last != nil {
		return s.last, nil
	}
	if err != nil {
		return nil, err
	}
	set := struct {
		Keys []jwk `json:"keys"`
	}{[]jwk{}}
	for _, key := range published {
		set.Keys = append(set.Keys, jwk{"RSA", "sig", "RS256", key.KID, key.Public})
	}
	if s.last, err = json.Marshal(set); err != nil {
		return nil, fmt.Errorf("write key set: %w", err)
	}
	return s.last, nil
}
