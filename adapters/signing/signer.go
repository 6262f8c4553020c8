package signing

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"sync"

	"frontdesk/domain/signingkey"
)

// Signer signs payloads. It keeps the key that it used last in memory, opened.
// The zero value of all but Vault is ready to use.
type Signer struct {
	Vault Vault

	mu   sync.Mutex
	last *openedKey
}

// With returns what signs with the key of this kid: it makes a compact JWT, by
// RS256 (§6.4), of a payload that is JSON already. The caller has just read
// that the key is active. The errors are those of [Vault.Check].
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

// openedKey is a private key with the beginning of every JWT that it signs.
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
