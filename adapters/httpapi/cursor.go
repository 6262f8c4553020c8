package httpapi

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"fmt"

	"github.com/google/uuid"

	"frontdesk/domain/access"
)

// Cursors encrypts the position where a page ends, so that it reveals nothing: it may
// be an identifier of another application's data, which contains a time. A cursor is
// valid for one application, practice and list. It is not stored.
type Cursors struct{ seals cipher.AEAD }

// NewCursors returns cursors under a key. All processes must have the same key.
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

// open returns the position in a cursor; false if it was not issued to the caller for
// this list.
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

// bound is the application, practice and list of a cursor.
func bound(of access.Claim) []byte {
	return fmt.Appendf(nil, "%s %s %s", of.Endpoint.Name, of.Application, of.Tenant)
}
