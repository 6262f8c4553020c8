package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"time"

	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

// ChallengeLifetime is how long a challenge is valid.
const ChallengeLifetime = 5 * time.Minute

// ErrPasskey is the one refusal of a passkey, whatever the reason. If it has a time, no
// passkey is checked before then.
var ErrPasskey = fault.New(fault.Forbidden, "passkey-refused", "This passkey was not accepted.")

// Purpose is the purpose of a passkey signature, which is valid for no other.
type Purpose string

// The purposes.
const (
	ToSignIn      Purpose = "sign-in" // with the passkey only
	AfterPassword Purpose = "second"
	ToConfirm     Purpose = "confirm"
	ToAdd         Purpose = "add"
)

// Ask is a request for a passkey signature: its purpose, site and browser.
type Ask struct {
	For    Purpose
	Tenant string
	Site   Site
	Member staff.ID // the required owner; zero for any
	Bound  string   // a secret of this browser, such as a session's token; "" for none
}

// Challenges issues what passkeys sign. A challenge is not stored before it is signed,
// so strangers can request any number. The browser keeps a cookie with random bits and
// the challenge's expiry, and the challenge is the MAC over these and over the whole
// ask. A changed part gives another challenge, which no passkey has signed.
type Challenges struct {
	Keys func() [][32]byte // at least one; the same for every process. The first one makes challenges, all check them
	Now  func() time.Time
}

// challenge is a challenge with its expiry.
type challenge struct {
	bits [sha256.Size]byte
	ends time.Time
}

// String is the form that browsers sign.
func (c challenge) String() string { return base64.RawURLEncoding.EncodeToString(c.bits[:]) }

// keptSize is the size of 32 random bytes, a time in seconds, and the tag of the key.
const (
	tagged   = 32 + 8
	keptSize = tagged + 4
)

// begin returns a new challenge, and the browser's part of it.
func (c Challenges) begin(a Ask) (challenge, string) {
	kept := make([]byte, keptSize)
	_, _ = rand.Read(kept) // never fails
	binary.BigEndian.PutUint64(kept[32:], uint64(c.Now().Add(ChallengeLifetime).Unix()))
	key := c.Keys()[0]
	copy(kept[tagged:], tagOf(key, kept))
	return over(key, a, kept), base64.RawURLEncoding.EncodeToString(kept)
}

// of returns the challenge for the browser's part, or [ErrPasskey] if it has expired or
// if passkeys are impossible at the site.
func (c Challenges) of(a Ask, kept string) (challenge, error) {
	bytes, err := base64.RawURLEncoding.Strict().DecodeString(kept)
	if err != nil || len(bytes) != keptSize || !a.Site.Named() {
		return challenge{}, ErrPasskey
	}
	keys := c.Keys()
	at := slices.IndexFunc(keys, func(key [32]byte) bool { return hmac.Equal(bytes[tagged:], tagOf(key, bytes)) })
	if at < 0 {
		return challenge{}, ErrPasskey
	}
	found := over(keys[at], a, bytes)
	if !c.Now().Before(found.ends) {
		return challenge{}, ErrPasskey
	}
	return found, nil
}

// tagOf tells which key has made a challenge, since the master key may have been rotated.
func tagOf(key [32]byte, kept []byte) []byte {
	mac := hmac.New(sha256.New, key[:])
	mac.Write(append([]byte("tag"), kept[:tagged]...)) // no challenge is over so few bytes
	return mac.Sum(nil)[:keptSize-tagged]
}

func over(key [32]byte, a Ask, kept []byte) challenge {
	mac := hmac.New(sha256.New, key[:])
	mac.Write(kept) // of one length, as the member's id is; no other part has a zero byte
	mac.Write(a.Member.UUID[:])
	for _, part := range []string{string(a.For), a.Tenant, a.Site.Origin, a.Bound} {
		mac.Write(append([]byte(part), 0))
	}
	return challenge{[sha256.Size]byte(mac.Sum(nil)), time.Unix(int64(binary.BigEndian.Uint64(kept[32:])), 0)}
}
