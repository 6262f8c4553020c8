package sealing

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"frontdesk/domain/event"
)

// MasterKey wraps other keys, so that the database never holds one in the clear. It is
// kept outside the database and never printed. The zero value seals and opens nothing:
// it returns [ErrNoMasterKey].
type MasterKey [32]byte

// Why a master key cannot be used, and how to fix it.
var (
	ErrNoMasterKey = errors.New("there is no master key: name its file with --master-key-file; " +
		"make one with `openssl rand -base64 32`, and keep it apart from the database")
	ErrMasterKeyForm  = errors.New("a master key is 32 random bytes in base64 or hexadecimal, as `openssl rand -base64 32` prints them")
	ErrWrongMasterKey = errors.New("it was sealed under another master key, or altered")
)

// ParseMasterKey parses 32 bytes in base64 or hexadecimal. Any other text, and 32 zero
// bytes, give [ErrMasterKeyForm].
func ParseMasterKey(text string) (MasterKey, error) {
	text = strings.TrimSpace(text)
	decode := base64.StdEncoding.DecodeString
	if len(text) == hex.EncodedLen(len(MasterKey{})) {
		decode = hex.DecodeString
	}
	raw, err := decode(text)
	if err != nil || len(raw) != len(MasterKey{}) || MasterKey(raw) == (MasterKey{}) {
		return MasterKey{}, ErrMasterKeyForm
	}
	return MasterKey(raw), nil
}

// String keeps the key out of logs.
func (MasterKey) String() string { return "[master key]" }

// GoString keeps the key out of logs.
func (MasterKey) GoString() string { return "[master key]" }

// ID identifies the master key without revealing anything else about it: 16 hexadecimal
// digits.
func (m MasterKey) ID() string {
	mac := hmac.New(sha256.New, m[:])
	mac.Write([]byte("frontdesk/master/v1"))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// For derives a key for another purpose, which reveals nothing about the master key.
func (m MasterKey) For(purpose string) (key [32]byte, err error) {
	if m == (MasterKey{}) {
		return key, ErrNoMasterKey
	}
	derived, err := hkdf.Expand(sha256.New, m[:], purpose, len(key))
	if err != nil {
		return key, fmt.Errorf("derive a key: %w", err)
	}
	return [32]byte(derived), nil
}

// Seal encrypts with AES-256-GCM. bound is authenticated with it, so that a ciphertext
// cannot be used in another place.
func (m MasterKey) Seal(plain, bound []byte) ([]byte, error) {
	if m == (MasterKey{}) {
		return nil, ErrNoMasterKey
	}
	aead, err := aeadOf(m)
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, plain, bound), nil
}

// Open undoes [MasterKey.Seal]. It fails with [ErrWrongMasterKey] for another master
// key or another bound.
func (m MasterKey) Open(sealed, bound []byte) ([]byte, error) {
	if m == (MasterKey{}) {
		return nil, ErrNoMasterKey
	}
	aead, err := aeadOf(m)
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, nil, sealed, bound)
	if err != nil {
		return nil, ErrWrongMasterKey
	}
	return plain, nil
}

// Wrapper wraps the keys of holders with a key derived from a master key.
type Wrapper struct{ aead cipher.AEAD }

// Wrapper returns the wrapper of a master key, or [ErrNoMasterKey].
func (m MasterKey) Wrapper() (Wrapper, error) {
	key, err := m.For("frontdesk keys of persons")
	if err != nil {
		return Wrapper{}, err
	}
	aead, err := aeadOf(key)
	return Wrapper{aead}, err
}

// Wrap returns a holder's key in the form for the database.
func (w Wrapper) Wrap(k Key, tenant string, of event.Holder) []byte {
	defer clear(k[:])
	return w.aead.Seal(nil, nil, k[:], ownedBy(tenant, of))
}

// Unwrap undoes [Wrapper.Wrap]. It fails with [ErrWrongMasterKey], including for the
// key of another holder or practice.
func (w Wrapper) Unwrap(wrapped []byte, tenant string, of event.Holder) (k Key, err error) {
	secretly(func() { k, err = w.unwrap(wrapped, tenant, of) })
	return k, err
}

func (w Wrapper) unwrap(wrapped []byte, tenant string, of event.Holder) (Key, error) {
	raw, err := w.aead.Open(nil, nil, wrapped, ownedBy(tenant, of))
	defer clear(raw)
	if err != nil || len(raw) != len(Key{}) {
		return Key{}, ErrWrongMasterKey
	}
	return Key(raw), nil
}

func ownedBy(tenant string, of event.Holder) []byte {
	owned := append([]byte("frontdesk/wrap/v1\x00"), byte(of.Kind))
	owned = append(owned, of.ID[:]...)
	owned = binary.BigEndian.AppendUint32(owned, uint32(len(tenant))) // a practice's name
	return append(owned, tenant...)
}

// aeadOf returns an AEAD that prepends a random nonce to each ciphertext.
func aeadOf(key [32]byte) (cipher.AEAD, error) {
	defer clear(key[:]) // the copy that NewCipher has moved to the heap
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
