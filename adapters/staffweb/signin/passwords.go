package signin

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// Vault keeps the hashes of passwords, outside the log.
type Vault struct {
	DB     Database
	Hasher *Hasher
}

// Keep hashes a password and stores the hash. The password counts from the
// staff.PasswordSet event that names the credential returned here.
func (v Vault) Keep(ctx context.Context, tenant string, member staff.ID, password string) (staff.CredentialID, error) {
	credential := staff.CredentialID{UUID: event.NewID()}
	hash, err := v.Hasher.Hash(ctx, password)
	if err != nil {
		return staff.CredentialID{}, err
	}
	_, err = v.DB.Exec(ctx, `INSERT INTO staff_passwords (tenant, staff, credential, hash) VALUES ($1, $2, $3, $4)`,
		tenant, member, credential, hash)
	if err != nil {
		return staff.CredentialID{}, fmt.Errorf("keep password: %w", err)
	}
	return credential, nil
}

// Discard deletes every hash of a member of staff except one.
func (v Vault) Discard(ctx context.Context, tenant string, member staff.ID, but staff.CredentialID) error {
	_, err := v.DB.Exec(ctx, `DELETE FROM staff_passwords WHERE tenant = $1 AND staff = $2 AND credential <> $3`, tenant, member, but)
	if err != nil {
		return fmt.Errorf("discard old passwords: %w", err)
	}
	return nil
}

// Holder is who a username and its password belong to.
type Holder struct {
	Staff      staff.ID
	Credential staff.CredentialID
}

const holderOf = `
SELECT s.staff, s.credential, p.hash
FROM staff s JOIN staff_passwords p ON p.tenant = s.tenant AND p.staff = s.staff AND p.credential = s.credential
WHERE s.tenant = $1 AND s.username = $2 AND s.active`

// Check finds the active member of staff whose username and password these are.
// It takes just as long if they are nobody's, and right is then false.
func (v Vault) Check(ctx context.Context, tenant, username, password string) (holder Holder, right bool, err error) {
	if !utf8.ValidString(username) || strings.Contains(username, "\x00") {
		username = "" // nobody has this username, and the database accepts it as text
	}
	var hash string
	err = v.DB.QueryRow(ctx, holderOf, tenant, username).Scan(&holder.Staff, &holder.Credential, &hash)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Holder{}, false, fmt.Errorf("look up password: %w", err)
	}
	right, err = v.Hasher.Verify(ctx, hash, password)
	if err != nil || !right {
		return Holder{}, false, err
	}
	return holder, true, nil
}

// What a hash costs: twice the passes that OWASP recommends at this size. It
// takes 60 ms of one core.
const (
	memory  = 46 << 10 // KiB
	passes  = 2
	threads = 1
	keySize = 32
)

// Hasher hashes passwords with argon2id. It uses at most half of the cores at
// once, so that signing in never starves the calls of the API.
type Hasher struct {
	slots chan struct{}
	dummy string // compared with a password if nobody has the username
}

// NewHasher makes a hasher for this machine.
func NewHasher() *Hasher {
	h := &Hasher{slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
	h.dummy = encode(make([]byte, 16), make([]byte, keySize))
	return h
}

// Hash returns the PHC form of a password's hash, with a salt of its own. The
// only error is the error of ctx.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	key, err := h.key(ctx, password, salt, memory, passes, threads)
	if err != nil {
		return "", err
	}
	return encode(salt, key), nil
}

// Verify reports whether a hash is the password's. An empty hash is nobody's, and
// checking it costs just as much. The error is the error of ctx, or says that the
// hash cannot be read.
func (h *Hasher) Verify(ctx context.Context, hash, password string) (bool, error) {
	somebody := hash != ""
	if !somebody {
		hash = h.dummy
	}
	m, t, p, salt, want, err := decode(hash)
	if err != nil {
		return false, err
	}
	got, err := h.key(ctx, password, salt, m, t, p)
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1 && somebody, err
}

// key waits for a slot and hashes. Keyboards differ in how they send a letter
// with an accent, so the password is composed first (RFC 8265, section 4).
func (h *Hasher) key(ctx context.Context, password string, salt []byte, m, t uint32, p uint8) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait to hash: %w", ctx.Err())
	}
	return argon2.IDKey([]byte(norm.NFC.String(password)), salt, t, m, p, keySize), nil
}

var errHash = errors.New("the stored password hash cannot be read")

func encode(salt, key []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, memory, passes, threads, b64.EncodeToString(salt), b64.EncodeToString(key))
}

// decode reads a hash, which may have been made at another cost.
func decode(hash string) (m, t uint32, p uint8, salt, key []byte, err error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return 0, 0, 0, nil, nil, errHash
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &m, &t, &p); err != nil {
		return 0, 0, 0, nil, nil, errHash
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	key, keyErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || keyErr != nil || len(salt) == 0 || len(key) != keySize || t == 0 || p == 0 {
		return 0, 0, 0, nil, nil, errHash
	}
	return m, t, p, salt, key, nil
}
