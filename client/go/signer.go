package client

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// A Key is one of the application's keys. Private may be held elsewhere, such as in a key
// management service; its public half is an RSA key of at least 2048 bits.
type Key struct {
	KID     string // its name in the key set
	Private crypto.Signer
}

// GenerateKey writes a new RSA key of 2048 bits to a file (PEM, PKCS #8), which only its owner can
// read. The error is [io/fs.ErrExist] if the file exists.
func GenerateKey(file string) error {
	key, err := rsa.GenerateKey(rand.Reader, leastBits)
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

// ReadKey reads a key from a PEM file (PKCS #8 or PKCS #1). If kid is empty, it is the key's
// thumbprint (RFC 7638).
func ReadKey(kid, file string) (Key, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Key{}, fmt.Errorf("read private key: %w", err)
	}
	key, err := ParseKey(kid, text)
	if err != nil {
		return Key{}, fmt.Errorf("read private key %s: %w", filepath.Base(file), err)
	}
	return key, nil
}

// ParseKey is [ReadKey] of a PEM text.
func ParseKey(kid string, text []byte) (Key, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return Key{}, errors.New("it is not PEM")
	}
	private, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			return Key{}, err
		}
		var ok bool
		if private, ok = parsed.(*rsa.PrivateKey); !ok {
			return Key{}, errors.New("it is not an RSA key")
		}
	}
	if kid == "" {
		kid = thumbprint(&private.PublicKey)
	}
	return Key{kid, private}, nil
}

// thumbprint is that of RFC 7638: of a key's required members, in alphabetical order.
func thumbprint(key *rsa.PublicKey) string {
	public := newJWK("", key)
	sum := sha256.Sum256([]byte(`{"e":"` + public.E + `","kty":"RSA","n":"` + public.N + `"}`))
	return encode(sum[:])
}

// A Signer holds the application's keys: one signs, and all are published. To rotate, Add the
// new key, publish the set for an hour, Use the new key, and Remove the old one. A Signer is a
// handler that serves its key set, and safe for concurrent use.
type Signer struct {
	mu   sync.RWMutex
	keys []Key // the first one signs
}

// NewSigner makes a signer that signs with the first of the keys.
func NewSigner(keys ...Key) (*Signer, error) {
	if len(keys) == 0 {
		return nil, errors.New("a signer needs a key")
	}
	s := &Signer{}
	for _, key := range keys {
		if err := s.Add(key); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Add publishes another key, which does not sign yet.
func (s *Signer) Add(key Key) error {
	if key.KID == "" || key.Private == nil {
		return errors.New("a key must have a KID and a Private half")
	}
	public, ok := key.Private.Public().(*rsa.PublicKey)
	if !ok || public.N.BitLen() < leastBits {
		return fmt.Errorf("key %s must be an RSA key of at least %d bits", key.KID, leastBits)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.find(key.KID) >= 0 {
		return fmt.Errorf("there is a key %s already", key.KID)
	}
	s.keys = append(s.keys, key)
	return nil
}

const leastBits = 2048

// Use signs with another key from now on.
func (s *Signer) Use(kid string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.find(kid)
	if at < 0 {
		return fmt.Errorf("there is no key %s; add it first", kid)
	}
	s.keys[0], s.keys[at] = s.keys[at], s.keys[0]
	return nil
}

// Remove stops publishing a key. The signing key cannot be removed.
func (s *Signer) Remove(kid string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.find(kid)
	if at == 0 {
		return fmt.Errorf("key %s signs; use another one first", kid)
	}
	if at > 0 {
		s.keys = slices.Delete(s.keys, at, at+1)
	}
	return nil
}

func (s *Signer) find(kid string) int {
	return slices.IndexFunc(s.keys, func(key Key) bool { return key.KID == kid })
}

// KID is that of the signing key.
func (s *Signer) KID() string { return s.current().KID }

func (s *Signer) current() Key {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.keys[0]
}

// KeySet is the JWK set to publish: the public half of every key.
func (s *Signer) KeySet() []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	set := keySet{Keys: []jwk{}}
	for _, key := range s.keys {
		public, _ := key.Private.Public().(*rsa.PublicKey) // checked by Add
		set.Keys = append(set.Keys, newJWK(key.KID, public))
	}
	text, _ := json.Marshal(set) // only texts
	return text
}

func newJWK(kid string, public *rsa.PublicKey) jwk {
	return jwk{
		Use: "sig", KTY: "RSA", KID: kid, Alg: "RS256",
		N: encode(public.N.Bytes()), E: encode(big.NewInt(int64(public.E)).Bytes()),
	}
}

// ServeHTTP publishes the key set.
func (s *Signer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/jwk-set+json")
	_, _ = w.Write(s.KeySet()) // an error means that the caller has gone
}

// sign returns a JWT of claims.
func (k Key) sign(claims any) (string, error) {
	header, err := json.Marshal(map[string]string{"alg": "RS256", "typ": "JWT", "kid": k.KID})
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	input := encode(header) + "." + encode(text)
	digest := sha256.Sum256([]byte(input))
	signature, err := k.Private.Sign(rand.Reader, digest[:], crypto.SHA256)
	if err != nil {
		return "", fmt.Errorf("sign with key %s: %w", k.KID, err)
	}
	return input + "." + encode(signature), nil
}

var encode = base64.RawURLEncoding.EncodeToString
