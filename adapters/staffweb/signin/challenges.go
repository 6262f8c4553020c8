package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

// ChallengeLifetime is how long a passkey may take to sign.
const ChallengeLifetime = 5 * time.Minute

// ErrPasskey is the one refusal of a passkey, whatever the reason. If it names an
// instant, no passkey is looked at before then.
var ErrPasskey = fault.New(fault.Forbidden, "passkey-refused", "This passkey was not accepted.")

// Purpose is what a passkey is asked for. What it has signed is good for nothing else.
type Purpose string

// The purposes.
const (
	ToSignIn      Purpose = "sign-in" // with the passkey alone
	AfterPassword Purpose = "second"
	ToConfirm     Purpose = "confirm"
	ToAdd         Purpose = "add"
)

// Ask is what a passkey is asked for, where, and by which browser.
type Ask struct {
	For    Purpose
	Tenant string
	Site   Site
	Member staff.ID // whose passkey it must be; zero for whoever's it is
	Bound  string   // the secret that only this browser shows, as a session's token; "" for none
}

// Challenges are what passkeys sign. Nothing is kept of a challenge before a passkey has
// signed it, so strangers can ask for as many as they like. The browser keeps a cookie
// with random bits and the instant at which the challenge ends, and the challenge is the
// MAC over these and over the whole ask. To whoever changes any of it belongs another
// challenge, which nothing has signed.
type Challenges struct {
	Key [32]byte // the same for every process
	Now func() time.Time
}

// challenge is what a passkey signs, until it ends.
type challenge struct {
	bits [sha256.Size]byte
	ends time.Time
}

// String is the form in which browsers sign it.
func (c challenge) String() string { return base64.RawURLEncoding.EncodeToString(c.bits[:]) }

// keptSize is that of 32 random bytes and of an instant in seconds.
const keptSize = 32 + 8

// begin returns a new challenge, and what the browser keeps of it.
func (c Challenges) begin(a Ask) (challenge, string) {
	kept := make([]byte, keptSize)
	_, _ = rand.Read(kept) // never fails
	binary.BigEndian.PutUint64(kept[32:], uint64(c.Now().Add(ChallengeLifetime).Unix()))
	return c.over(a, kept), base64.RawURLEncoding.EncodeToString(kept)
}

// of returns the challenge that belongs to what a browser keeps, or [ErrPasskey] if it
// has ended, or if nobody can have been asked at such a site.
func (c Challenges) of(a Ask, kept string) (challenge, error) {
	bytes, err := base64.RawURLEncoding.Strict().DecodeString(kept)
	if err != nil || len(bytes) != keptSize || !a.Site.Named() {
		return challenge{}, ErrPasskey
	}
	found := c.over(a, bytes)
	if !c.Now().Before(found.ends) {
		return challenge{}, ErrPasskey
	}
	return found, nil
}

func (c Challenges) over(a Ask, kept []byte) challenge {
	mac := hmac.New(sha256.New, c.Key[:])
	mac.Write(kept) // of one length, as the member's id is; no other part has a zero byte
	mac.Write(a.Member.UUID[:])
	for _, part := range []string{string(a.For), a.Tenant, a.Site.Origin, a.Bound} {
		mac.Write(append([]byte(part), 0))
	}
	return challenge{[sha256.Size]byte(mac.Sum(nil)), time.Unix(int64(binary.BigEndian.Uint64(kept[32:])), 0)}
}
