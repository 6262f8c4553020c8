package webhooks

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
)

// signer signs webhooks with one key.
type signer struct {
	kid    signingkey.KID
	key    *rsa.PrivateKey
	header string // of every token, encoded
}

func newSigner(kid signingkey.KID, key *rsa.PrivateKey) *signer {
	header := fmt.Sprintf(`{"alg":"RS256","typ":"JWT","kid":%q}`, kid)
	return &signer{kid, key, base64.RawURLEncoding.EncodeToString([]byte(header))}
}

// sign is the token of claims: RS256, compact (§6.4).
func (s *signer) sign(c Claims) (string, error) {
	payload, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("encode webhook: %w", err)
	}
	token := base64.RawURLEncoding.AppendEncode([]byte(s.header+"."), payload)
	digest := sha256.Sum256(token)
	signature, err := rsa.SignPKCS1v15(nil, s.key, crypto.SHA256, digest[:])
	if err != nil {
		return "", fmt.Errorf("sign webhook: %w", err)
	}
	return string(base64.RawURLEncoding.AppendEncode(append(token, '.'), signature)), nil
}

// keyRing keeps the key that signs at present in memory, opened.
type keyRing struct {
	vault Vault

	mu     sync.Mutex
	signer *signer
}

// signer is the one for a kid, which the caller has just read to be active.
func (k *keyRing) forKID(ctx context.Context, kid signingkey.KID) (*signer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.signer != nil && k.signer.kid == kid {
		return k.signer, nil
	}
	key, err := k.vault.open(ctx, kid)
	if err != nil {
		return nil, fmt.Errorf("open signing key %s: %w", kid, err)
	}
	k.signer = newSigner(kid, key)
	return k.signer, nil
}
