package sealing

import (
	"crypto/hmac"
	"crypto/sha256"

	"github.com/google/uuid"
)

// Practitioner returns the identifier of a practitioner of a practice under the
// practice's index key: the same for the same person, and not to be guessed from.
func (k Key) Practitioner(tenant, known string) uuid.UUID {
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte("frontdesk/practitioner/v1\x00" + tenant + "\x00" + known))
	return uuid.UUID(mac.Sum(nil)[:16])
}
