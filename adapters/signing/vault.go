package signing

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/signingkey"
)

// Database stores the vault's table. Its errors are faults where a caller can
// understand them.
type Database interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// Vault stores the private halves of the service's keys in the database, encrypted with
// a master key, for as long as they may sign.
type Vault struct {
	DB      Database
	Masters *sealing.Ring
	Now     func() time.Time
	Bits    int // size of new keys; 0 for [KeyBits]
}

// Why this process cannot sign with a key.
var (
	ErrKeyLost        = errors.New("the signing key's private half is not in the database: stage another")
	ErrWrongMasterKey = errors.New("the signing key is sealed under another master key: give the one it was staged with")
)

// KeyBits is the size of new keys, unless an operator chooses another. Signing with the next
// usual size, 3072, takes three times as long.
const KeyBits = 2048

// Create creates a key, stores its private half and returns its public one. The key
// signs nothing until it is staged and activated.
func (v Vault) Create(ctx context.Context) (signingkey.PublicKey, error) {
	key, err := makeKey(cmp.Or(v.Bits, KeyBits))
	if err != nil {
		return signingkey.PublicKey{}, fmt.Errorf("make signing key: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return signingkey.PublicKey{}, fmt.Errorf("make signing key: %w", err)
	}
	public := signingkey.Public(&key.PublicKey)
	sealed, err := v.Masters.Seal(private, []byte(public.KID()))
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

// makeKey creates a key whose kid cannot be mistaken for a command-line flag.
func makeKey(bits int) (*rsa.PrivateKey, error) {
	for {
		key, err := rsa.GenerateKey(rand.Reader, bits)
		if err != nil || signingkey.Public(&key.PublicKey).KID()[0] != '-' {
			return key, err
		}
	}
}

// Check makes sure that this process can sign with the key. Otherwise it fails with
// [ErrKeyLost], [sealing.ErrNoMasterKey] or [ErrWrongMasterKey].
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
	private, err := v.Masters.Open(sealed, []byte(kid))
	if errors.Is(err, sealing.ErrWrongMasterKey) {
		return nil, ErrWrongMasterKey
	}
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

// Sweep deletes the private halves of keys that will never sign again.
func (v Vault) Sweep(ctx context.Context) error {
	if _, err := v.DB.Exec(ctx, sweepSecrets, v.Now().Add(-orphansAfter)); err != nil {
		return fmt.Errorf("destroy old signing keys: %w", err)
	}
	return nil
}

// orphansAfter is how long a private half is kept if its key was never staged, because
// the process stopped in between.
const orphansAfter = 24 * time.Hour

const sweepSecrets = `
DELETE FROM signing_key_secrets s
WHERE EXISTS (SELECT FROM signing_keys k WHERE k.kid = s.kid AND k.state IN ('retiring', 'retired'))
	OR s.created_at < $1 AND NOT EXISTS (SELECT FROM signing_keys k WHERE k.kid = s.kid)`
