package signing

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"frontdesk/domain/signingkey"
)

// MasterKey seals private keys, so that the database never holds one in the
// clear. It is kept outside the database and never printed. The zero value
// seals and opens nothing: it gives [ErrNoMasterKey].
type MasterKey [32]byte

// These say why a master key cannot be used, and what to do about it.
var (
	ErrNoMasterKey = errors.New("there is no master key: name its file with --master-key-file; " +
		"make one with `openssl rand -base64 32`, and keep it apart from the database")
	ErrMasterKeyForm  = errors.New("a master key is 32 random bytes in base64 or hexadecimal, as `openssl rand -base64 32` prints them")
	ErrWrongMasterKey = errors.New("the signing key is sealed under another master key: give the one it was staged with")
)

// ParseMasterKey reads 32 bytes in base64 or hexadecimal. Any other text, and
// 32 zero bytes, give [ErrMasterKeyForm].
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

// ReadMasterKey reads a file that holds what [ParseMasterKey] takes.
func ReadMasterKey(file string) (MasterKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return MasterKey{}, fmt.Errorf("read the master key: %w", err)
	}
	key, err := ParseMasterKey(string(text))
	if err != nil {
		return MasterKey{}, fmt.Errorf("read the master key in %s: %w", file, err)
	}
	return key, nil
}

// String keeps the key out of logs.
func (MasterKey) String() string { return "[master key]" }

// GoString keeps the key out of logs.
func (MasterKey) GoString() string { return "[master key]" }

// seal encrypts a private key with AES-256-GCM. The kid is authenticated with
// it, so that no sealed key can be passed off as another.
func (m MasterKey) seal(kid signingkey.KID, private []byte) ([]byte, error) {
	aead, err := m.aead()
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, private, []byte(kid)), nil
}

// open undoes seal. It fails with [ErrWrongMasterKey] for what was sealed with
// another master key or for another kid.
func (m MasterKey) open(kid signingkey.KID, sealed []byte) ([]byte, error) {
	aead, err := m.aead()
	if err != nil {
		return nil, err
	}
	private, err := aead.Open(nil, nil, sealed, []byte(kid))
	if err != nil {
		return nil, ErrWrongMasterKey
	}
	return private, nil
}

// aead draws a random nonce for each sealing and puts it in front of the result.
func (m MasterKey) aead() (cipher.AEAD, error) {
	if m == (MasterKey{}) {
		return nil, ErrNoMasterKey
	}
	block, err := aes.NewCipher(m[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
