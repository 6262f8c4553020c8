package webhooks

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/domain/signingkey"
)

// keyBits is the size of the keys that are made (D34). Signing with a longer
// one takes thrice as long.
const keyBits = 2048

// ErrKeyLost says that a key's private half is not in the vault.
var ErrKeyLost = errors.New("the signing key's private half is not in the database: stage another")

// Vault keeps the private halves of the service's keys in the database, sealed
// under the master key (D34). It implements commands.KeyVault.
type Vault struct {
	DB     *pgxpool.Pool
	Master MasterKey
	Now    func() time.Time
}

// Create makes a key and keeps its private half.
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

// Check fails with [ErrKeyLost] or [ErrWrongMasterKey] when the key could not
// sign.
func (v Vault) Check(ctx context.Context, kid signingkey.KID) error {
	_, err := v.open(ctx, kid)
	return err
}

// open is the key, ready to sign: its precomputed values make signing thrice
// as fast, so it is kept by who opened it.
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

// orphansAfter is when a private half is given up whose key was never staged:
// something went wrong in between.
const orphansAfter = 24 * time.Hour

const sweepSecrets = `
DELETE FROM signing_key_secrets s
WHERE EXISTS (SELECT FROM signing_keys k WHERE k.kid = s.kid AND k.state IN ('retiring', 'retired'))
	OR s.created_at < $1 AND NOT EXISTS (SELECT FROM signing_keys k WHERE k.kid = s.kid)`

// Sweep destroys the private halves of keys that sign no more (D34).
func (v Vault) Sweep(ctx context.Context) error {
	if _, err := v.DB.Exec(ctx, sweepSecrets, v.Now().Add(-orphansAfter)); err != nil {
		return fmt.Errorf("destroy old signing keys: %w", err)
	}
	return nil
}
