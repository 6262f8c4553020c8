package httpapi

import (
	"encoding/base64"
	"fmt"

	"github.com/google/uuid"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/access"
)

// Cursors encrypts the position where a page ends, so that it reveals nothing: it may
// be an identifier of another application's data, which contains a time. A cursor is
// valid for one application, practice and list. It is not stored.
type Cursors struct {
	Keys func() [][32]byte // at least one; the same for every process; the first one encrypts, all decrypt
}

// seal returns the cursor of a position, and "" if encryption fails, which needs a key of a
// wrong length.
func (c Cursors) seal(of access.Claim, place uuid.UUID) string {
	sealed, err := sealing.MasterKey(c.Keys()[0]).Seal(place[:], bound(of))
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(sealed)
}

// open returns the position in a cursor; false if it was not issued to the caller for
// this list.
func (c Cursors) open(of access.Claim, text string) (place uuid.UUID, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return uuid.Nil, false
	}
	for _, key := range c.Keys() {
		if opened, err := sealing.MasterKey(key).Open(sealed, bound(of)); err == nil && len(opened) == len(place) {
			return uuid.UUID(opened), true
		}
	}
	return uuid.Nil, false
}

// bound is the application, practice and list of a cursor.
func bound(of access.Claim) []byte {
	return fmt.Appendf(nil, "%s %s %s", of.Endpoint.Name, of.Application, of.Tenant)
}
