package signing

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/domain/signingkey"
)

// Database keeps the vault's table. Its errors are faults where a caller can
// understand them.
type Database interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// Vault keeps the private halves of the service's keys in the database, sealed
// with the master key, for as long as they may sign.
type Vault struct {
	DB     Database
	Master MasterKey
	Now    func() time.Time
}

// ErrKeyLost says that the database does not hold a key's private half.
var ErrKeyLost = errors.New("the signing key's private half is not in the database: stage another")

// keyBits is the size of the keys that are made. The next usual size, 3072,
// takes three times as long to sign with.
const keyBits = 2048

// Create makes a key, keeps its private half and returns its public one. The
// key signs nothing until it has been staged and activated.
func (v Vault) Create(ctx context.Context) (signingkey.PublicKey, error) {
	key, err := makeKey()
	if err != nil {
		return signingkey.PublicKey{}, fmt.Errorf("make signing key: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return signingkey.PublicKey{}, fmt.Errorf("make signing key: %w", err)
	}
	public := signingkey.Public(&key.PublicKey)
	sealed, err := v.Master.seal(public.KID(), private)
	if err != nil {
		return signingkey.PublicKey{}, err
	}
	_, err = v.DB.Exec(ctx, `INSERT INTO signing_key_secrets (kid, sealed, created_at) VALUES ($1, $2, $3)`,
		string(public.KID()), sealed, v.Now())
	if err != nil {
		return signingkey.PublicKey{}, fmt.Errorf("keep signing key: %w", err)
	}
	return public, nil
}

// makeKey makes a key whose kid no command line would take for a flag.
func makeKey() (*rsa.PrivateKey, error) {
	for {
		key, err := rsa.GenerateKey(rand.Reader, keyBits)
		if err != nil || signingkey.Public(&key.PublicKey).KID()[0] != '-' {
			return key, err
		}
	}
}

// Check makes sure that this process can sign with the key. It fails with
// [ErrKeyLost], [ErrNoMasterKey] or [ErrWrongMasterKey] when it cannot.
func (v Vault) Check(ctx context.Context, kid signingkey.KID) error {
	_, err := v.open(ctx, kid)
	return err
}

// open returns a key that is ready to sign. Its precomputed values make signing
// three times as fast, so callers should keep it rather than open it again.
func (v Vault) open(ctx context.Context, kid signingkey.KID) (*rsa.PrivateKey, error) {
	var sealed []byte
	err := v.DB.QueryRow(ctx, `SELECT sealed FROM signing_key_secrets WHERE kid = $1`, string(kid)).Scan(&sealed)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, ErrKeyLost
	case err != nil:
		return nil, fmt.Errorf("read signing key: %w", err)
	}
	private, err := v.Master.open(kid, sealed)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(private)
	if err != nil {
		return nil, fmt.Errorf("read signing key: %w", err)
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok || signingkey.Public(&key.PublicKey).KID() != kid {
		return nil, ErrKeyLost
	}
	return key, nil
}

// Sweep destroys the private halves of keys that will never sign again.
func (v Vault) Sweep(ctx context.Context) error {
	if _, err := v.DB.Exec(ctx, sweepSecrets, v.Now().Add(-orphansAfter)); err != nil {
		return fmt.Errorf("destroy old signing keys: %w", err)
	}
	return nil
}

// orphansAfter is how long a private half is kept whose key was never staged,
// because the process stopped in between.
const orphansAfter = 24 * time.Hour

const sweepSecrets = `
DELETE FROM signing_key_secrets s
WHERE EXISTS (SELECT FROM signing_keys k WHERE k.kid = s.kid AND k.state IN ('retiring', 'retired'))
	OR s.created_at < $1 AND NOT EXISTS (SELECT FROM signing_keys k WHERE k.kid = s.kid)`

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

// For returns the key of another purpose, which says nothing about the master key.
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
