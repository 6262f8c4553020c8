package signin

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// PasswordStore stores the hashes of passwords, outside the log. The log has the digest of
// each, so that a hash inserted by anyone else is refused.
type PasswordStore struct {
	DB    Database
	Queue *Queue // of members who choose a password; nil if one comes at a time
	Cost  Cost   // of new hashes; zero for [DefaultCost]
	Log   *slog.Logger
}

// Keep waits for its turn, hashes a password, or returns [ErrBusy], and stores the
// hash. The password is valid once the returned event is appended.
func (v PasswordStore) Keep(ctx context.Context, tenant string, member staff.ID, password string) (staff.PasswordSet, error) {
	hash, err := v.hash(ctx, tenant, member, password)
	if err != nil {
		return staff.PasswordSet{}, err
	}
	credential := staff.CredentialID{UUID: event.NewID()}
	_, err = v.DB.Exec(ctx, `INSERT INTO staff_passwords (tenant, staff, credential, hash) VALUES ($1, $2, $3, $4)`,
		tenant, member, credential, hash)
	if err != nil {
		return staff.PasswordSet{}, fmt.Errorf("keep password: %w", err)
	}
	return staff.PasswordSet{Credential: credential, Digest: digestOf(hash)}, nil
}

func (v PasswordStore) hash(ctx context.Context, tenant string, member staff.ID, password string) (string, error) {
	if v.Queue == nil {
		return v.cost().Hash(password), nil
	}
	end, err := v.Queue.memberPlace(tenant, member).wait(ctx)
	if err != nil {
		return "", err
	}
	defer end()
	return v.cost().Hash(password), nil
}

func (v PasswordStore) cost() Cost { return cmp.Or(v.Cost, DefaultCost) }

// digestOf is the digest of a hash in the log. The hash has a random salt, so the
// digest is no help in guessing passwords.
func digestOf(hash string) event.Digest { return sha256.Sum256([]byte(hash)) }

// Discard deletes every hash of a member of staff except one, and the sessions and
// known devices of the others, which are invalid.
func (v PasswordStore) Discard(ctx context.Context, tenant string, member staff.ID, but staff.CredentialID) error {
	batch := &pgx.Batch{}
	for _, table := range []string{"staff_passwords", "staff_sessions", "staff_devices"} {
		batch.Queue(`DELETE FROM `+table+` WHERE tenant = $1 AND staff = $2 AND credential <> $3`, tenant, member, but)
	}
	if err := v.DB.ExecBatch(ctx, batch); err != nil {
		return fmt.Errorf("discard old passwords: %w", err)
	}
	return nil
}

// Holder is the owner of a username and its password.
type Holder struct {
	Staff      staff.ID
	Credential staff.CredentialID
}

const holderOf = `
SELECT s.staff, s.credential, p.hash, s.password_digest
FROM staff s JOIN staff_passwords p ON p.tenant = s.tenant AND p.staff = s.staff AND p.credential = s.credential
WHERE s.tenant = $1 AND s.username = $2 AND s.active`

// Check finds the active member of staff with this username and password. It takes
// equally long for unknown ones, and right is then false. A hash that differs from the
// log's matches no one.
func (v PasswordStore) Check(ctx context.Context, tenant, username, password string) (holder Holder, right bool, err error) {
	var hash string
	var known []byte // the digest of the current hash; nil if it is not in the log
	err = v.DB.QueryRow(ctx, holderOf, tenant, storable(username)).Scan(&holder.Staff, &holder.Credential, &hash, &known)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Holder{}, false, fmt.Errorf("look up password: %w", err)
	}
	if digest := digestOf(hash); known != nil && !bytes.Equal(known, digest[:]) {
		v.Log.ErrorContext(ctx, "the stored password hash is not the one that the log knows: staff_passwords was changed",
			slog.String("tenant", tenant), slog.String("staff", holder.Staff.String()))
		hash = ""
	}
	right, err = v.cost().Verify(hash, password)
	if err != nil || !right {
		return Holder{}, false, err
	}
	return holder, true, nil
}

// Cost is the cost of an argon2id hash.
type Cost struct {
	Memory uint32 // KiB
	Passes uint32 // over the memory
}

// DefaultCost has twice the passes that OWASP recommends at this size. A hash takes 60 ms
// of one core. Only tests set another Cost: it has no flag or environment variable.
var DefaultCost = Cost{Memory: 46 << 10, Passes: 2}

const (
	threads = 1
	keySize = 32
)

// Hash returns the PHC form of a password's argon2id hash, with a salt of its own.
func (c Cost) Hash(password string) string {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	return c.encode(salt, key(password, salt, c.Memory, c.Passes, threads))
}

// Verify reports whether the hash matches the password. An empty hash matches none, and
// checking it takes as long as one of this Cost. The error means that the hash cannot
// be read.
func (c Cost) Verify(hash, password string) (bool, error) {
	known := hash != ""
	if !known {
		hash = c.encode(make([]byte, 16), make([]byte, keySize))
	}
	m, t, p, salt, want, err := decode(hash)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(key(password, salt, m, t, p), want) == 1 && known, nil
}

// key hashes a password. Keyboards encode accented letters differently, so the password
// is composed first (RFC 8265, section 4).
func key(password string, salt []byte, m, t uint32, p uint8) []byte {
	return argon2.IDKey([]byte(norm.NFC.String(password)), salt, t, m, p, keySize)
}

var errHash = errors.New("the stored password hash cannot be read")

func (c Cost) encode(salt, sum []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, c.Memory, c.Passes, threads, b64.EncodeToString(salt), b64.EncodeToString(sum))
}

// decode reads a hash, which may have been made at another cost.
func decode(hash string) (m, t uint32, p uint8, salt, sum []byte, err error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return 0, 0, 0, nil, nil, errHash
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &m, &t, &p); err != nil {
		return 0, 0, 0, nil, nil, errHash
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	sum, sumErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || sumErr != nil || len(salt) == 0 || len(sum) != keySize || t == 0 || p == 0 {
		return 0, 0, 0, nil, nil, errHash
	}
	return m, t, p, salt, sum, nil
}
