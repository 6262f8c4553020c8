package sandbox

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-jose/go-jose/v4"

	"frontdesk/domain/application"
)

// Minter signs tokens as an application does.
type Minter struct {
	key *rsa.PrivateKey
	kid string
	app application.ID
}

// NewMinter reads an application's private key (PEM, PKCS #8 or #1). If kid is
// "", it is the key's RFC 7638 thumbprint.
func NewMinter(file, kid string, app application.ID) (Minter, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Minter{}, fmt.Errorf("read private key: %w", err)
	}
	key, err := parseKey(data)
	if err != nil {
		return Minter{}, fmt.Errorf("read private key %s: %w", filepath.Base(file), err)
	}
	if kid == "" {
		kid, err = thumbprint(key)
	}
	return Minter{key, kid, app}, err
}

func parseKey(data []byte) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errors.New("it is not PEM")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("it is not an RSA key")
	}
	return key, nil
}

func thumbprint(key *rsa.PrivateKey) (string, error) {
	sum, err := (&jose.JSONWebKey{Key: key.Public()}).Thumbprint(crypto.SHA256)
	return base64.RawURLEncoding.EncodeToString(sum), err
}

// loadKey reads the key in file, or makes one.
func loadKey(file string, app application.ID) (Minter, error) {
	minter, err := NewMinter(file, "", app)
	if !errors.Is(err, fs.ErrNotExist) {
		return minter, err
	}
	if err := MakeKey(file); err != nil {
		return Minter{}, err
	}
	return NewMinter(file, "", app)
}

// MakeKey writes a new private RSA key (2048 bits, PEM, PKCS #8) that only its
// owner may read. It never overwrites a file.
func MakeKey(file string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return fmt.Errorf("make private key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("make private key: %w", err)
	}
	out, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write private key: %w", err)
	}
	err = pem.Encode(out, &pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("write private key: %w", err)
	}
	return nil
}

// For is the minter of another application that has the same key.
func (m Minter) For(app application.ID) Minter {
	m.app = app
	return m
}

// Mint signs a token that is valid for 60 seconds from now. sub is a username,
// or "" for the application itself.
func (m Minter) Mint(sub string, now time.Time) (string, error) {
	claims := map[string]any{"iss": m.app, "sub": m.app, "iat": now.Unix(), "exp": now.Unix() + 60}
	if sub != "" {
		claims["sub"], claims["azp"] = sub, m.app
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("mint token: %w", err)
	}
	options := (&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", m.kid)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: m.key}, options)
	if err != nil {
		return "", fmt.Errorf("mint token: %w", err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("mint token: %w", err)
	}
	return signed.CompactSerialize()
}

// JWK is the public key as a member of a key set.
func (m Minter) JWK() jose.JSONWebKey {
	return jose.JSONWebKey{Key: m.key.Public(), KeyID: m.kid, Algorithm: string(jose.RS256), Use: "sig"}
}

// JWKS is the public key set to publish.
func (m Minter) JWKS() ([]byte, error) {
	return json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{m.JWK()}})
}
