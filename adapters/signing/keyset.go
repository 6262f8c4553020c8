package signing

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"frontdesk/domain/signingkey"
	"frontdesk/projections"
)

// KeySet publishes the public keys that receivers verify webhooks with (§4.3).
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

// Document returns the JWK set, as JSON. It is read from the database each time:
// a cached one could lack a key that has just begun to sign. While the database
// is away, the last document is returned again.
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
	document, err := json.Marshal(set)
	if err != nil {
		return nil, fmt.Errorf("encode key set: %w", err)
	}
	s.last = document
	return document, nil
}
