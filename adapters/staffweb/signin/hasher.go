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

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// What a hash costs: twice the passes that OWASP asks for at this size. It
// takes 60 ms of one core.
const (
	memory  = 46 << 10 // KiB
	passes  = 2
	threads = 1
	keySize = 32
)

// Hasher hashes passwords with argon2id, at most as many at once as half the
// cores: signing in never starves the calls of the API.
type Hasher struct {
	slots chan struct{}
	dummy string // what the passwords of nobody are compared with
}

// NewHasher makes a hasher for this machine.
func NewHasher() *Hasher {
	h := &Hasher{slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
	h.dummy = encode(make([]byte, 16), make([]byte, keySize))
	return h
}

// Hash is the PHC form of a password's hash, with a salt of its own. The error
// is ctx's.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	key, err := h.key(ctx, password, salt, memory, passes, threads)
	if err != nil {
		return "", err
	}
	return encode(salt, key), nil
}

// Verify reports whether a hash is the password's. The empty hash is nobody's,
// and costs as much. The error is ctx's, or says that the hash is unreadable.
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

// key hashes when there is a slot. Keyboards differ in how they send the same
// letter with an accent, so the password is composed first (RFC 8265 §4).
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

// decode reads hashes of whatever cost they were made at.
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
