package httpapi

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"fmt"

	"github.com/google/uuid"

	"frontdesk/domain/access"
)

// Cursors seals where a page ends, so that whoever is given it learns nothing: it may be
// the identifier of something of others, which holds a time. It is good for one application,
// practice and list. Nothing is kept here.
type Cursors struct{ seals cipher.AEAD }

// NewCursors returns what seals with a key. All processes must have the same.
func NewCursors(key [32]byte) (Cursors, error) {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return Cursors{}, fmt.Errorf("seal cursors: %w", err)
	}
	seals, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return Cursors{}, fmt.Errorf("seal cursors: %w", err)
	}
	return Cursors{seals}, nil
}

func (c Cursors) seal(of access.Claim, place uuid.UUID) string {
	return base64.RawURLEncoding.EncodeToString(c.seals.Seal(nil, nil, place[:], bound(of)))
}

// open returns the place in a cursor; false if it was not given to the caller for this list.
func (c Cursors) open(of access.Claim, text string) (place uuid.UUID, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return uuid.Nil, false
	}
	opened, err := c.seals.Open(nil, nil, sealed, bound(of))
	if err != nil || len(opened) != len(place) {
		return uuid.Nil, false
	}
	return uuid.UUID(opened), true
}

// bound is what a cursor is good for.
func bound(of access.Claim) []byte {
	return fmt.Appendf(nil, "%s %s %s", of.Endpoint.Name, of.Application, of.Tenant)
}
