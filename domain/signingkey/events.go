package signingkey

import (
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Key is a key as events name it. It holds the whole public key, so that a signature
// can be verified with the log alone.
type Key struct {
	KID       KID       `json:"kid"`
	PublicKey PublicKey `json:"publicKey"`
}

// Staged records that a key is published from now on.
type Staged struct {
	Key
	At time.Time `json:"at"`
}

// Activated records that a key signs from now on.
type Activated struct {
	Key
	At time.Time `json:"at"`
}

// RetirementBegun records that a key no longer signs.
type RetirementBegun struct {
	Key
	At time.Time `json:"at"`
}

// Retired records that a key is no longer published.
type Retired struct {
	Key
	At time.Time `json:"at"`
}

// EventName returns the name that the event is stored under.
func (Staged) EventName() string { return "signing-key.staged.v1" }

// EventName returns the name that the event is stored under.
func (Activated) EventName() string { return "signing-key.activated.v1" }

// EventName returns the name that the event is stored under.
func (RetirementBegun) EventName() string { return "signing-key.retirement-begun.v1" }

// EventName returns the name that the event is stored under.
func (Retired) EventName() string { return "signing-key.retired.v1" }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return Ring{}.Events() }

// Events returns the events of the ring's stream.
func (Ring) Events() []event.Event {
	return []event.Event{Staged{}, Activated{}, RetirementBegun{}, Retired{}}
}

// KID names a key: the RFC 7638 thumbprint of its public half, in base64url.
type KID string

// PublicKey is the public half of an RSA key in the form of a JWK (RFC 7518, section
// 6.3.1): both numbers big-endian, in base64url without padding.
type PublicKey struct {
	N string `json:"n"`
	E string `json:"e"`
}

// Public returns the public half of a key.
func Public(key *rsa.PublicKey) PublicKey {
	return PublicKey{
		N: base64.RawURLEncoding.EncodeToString(key.N.Bytes()),
		E: base64.RawURLEncoding.EncodeToString(big.NewInt(int64(key.E)).Bytes()),
	}
}

// KID returns the key's name: the SHA-256 of its required members in lexicographic
// order, without white space (RFC 7638, section 3).
func (p PublicKey) KID() KID {
	sum := sha256.Sum256([]byte(`{"e":"` + p.E + `","kty":"RSA","n":"` + p.N + `"}`))
	return KID(base64.RawURLEncoding.EncodeToString(sum[:]))
}

// The sizes of a modulus, in bits. The upper one is the largest that receivers'
// libraries accept.
const (
	minBits = 2048
	maxBits = 8192
)

// ErrUnfit refuses a key that is too short, too long or not RSA.
var ErrUnfit = fault.New(fault.Invalid, "unfit-signing-key", "A signing key must be RSA, of 2048 to 8192 bits, with an odd exponent of 3 or more.")

func (p PublicKey) check() error {
	n, errN := base64.RawURLEncoding.DecodeString(p.N)
	e, errE := base64.RawURLEncoding.DecodeString(p.E)
	modulus, exponent := new(big.Int).SetBytes(n), new(big.Int).SetBytes(e)
	switch {
	case errN != nil, errE != nil,
		modulus.BitLen() < minBits, modulus.BitLen() > maxBits, modulus.Bit(0) == 0,
		!exponent.IsInt64(), exponent.Int64() < 3, exponent.Bit(0) == 0:
		return ErrUnfit
	}
	return nil
}
