package signing

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"

	"frontdesk/domain/signingkey"
	"frontdesk/projections"
)

// Signer signs payloads. It caches the last key that it used, decrypted. Only its Vault
// has to be set.
type Signer struct {
	Vault Vault

	mu   sync.Mutex
	last *openedKey
}

// With returns a function that signs with the key of this kid. It makes a compact JWT,
// by RS256, of a payload that is JSON already. The caller has just read that the key is
// active. The errors are those of [Vault.Check].
func (s *Signer) With(ctx context.Context, kid signingkey.KID) (sign func(payload []byte) (jwt string, err error), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || s.last.kid != kid {
		key, err := s.Vault.open(ctx, kid)
		if err != nil {
			return nil, fmt.Errorf("open signing key %s: %w", kid, err)
		}
		s.last = opened(kid, key)
	}
	return s.last.sign, nil
}

// openedKey is a private key with the prefix of its JWTs.
type openedKey struct {
	kid    signingkey.KID
	key    *rsa.PrivateKey
	prefix string // the encoded header and its dot
}

func opened(kid signingkey.KID, key *rsa.PrivateKey) *openedKey {
	header := fmt.Sprintf(`{"alg":"RS256","typ":"JWT","kid":%q}`, kid)
	return &openedKey{kid, key, base64.RawURLEncoding.EncodeToString([]byte(header)) + "."}
}

func (k *openedKey) sign(payload []byte) (string, error) {
	jwt := base64.RawURLEncoding.AppendEncode([]byte(k.prefix), payload)
	digest := sha256.Sum256(jwt)
	signature, err := rsa.SignPKCS1v15(nil, k.key, crypto.SHA256, digest[:])
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return string(base64.RawURLEncoding.AppendEncode(append(jwt, '.'), signature)), nil
}

// KeySet publishes the public keys for verifying webhooks.
type KeySet struct {
	Keys projections.SigningKeys

	mu   sync.Mutex
	last []byte
}

// jwk is a published public key (RFC 7517).
type jwk struct {
	Type      string         `json:"kty"`
	Use       string         `json:"use"`
	Algorithm string         `json:"alg"`
	KID       signingkey.KID `json:"kid"`
	signingkey.PublicKey
}

// Document returns the JWK set as JSON. It reads the database each time: a cached set
// could lack a key that has just begun to sign. While the database is unavailable, it
// returns the last document.
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
