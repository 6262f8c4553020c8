package sealing

import (
	"crypto/hmac"
	"crypto/sha256"

	"github.com/google/uuid"
)

// Practitioner derives the identifier of a practitioner from the practice's index key:
// the same for the same person, and not guessable without the key.
func (k Key) Practitioner(tenant, known string) uuid.UUID {
	defer clear(k[:])
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte("frontdesk/practitioner/v1\x00" + tenant + "\x00" + known))
	return uuid.UUID(mac.Sum(nil)[:16])
}
