package event

import "github.com/google/uuid"

// NewID mints an identifier: a UUIDv7 (D35).
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// DerivedID is the stream of a thing that must meet itself again, such as the
// standing authorisation of one member of staff for one application: the
// UUIDv5 of its kind and of the opaque identifiers that make it what it is.
func DerivedID(kind string, parts ...string) uuid.UUID {
	name := kind
	for _, part := range parts {
		name += "\x00" + part
	}
	return uuid.NewSHA1(frontdesk, []byte(name))
}

// frontdesk is the UUIDv5 name space of this program: permanent.
var frontdesk = uuid.MustParse("6b0e2f8c-58f3-5a0f-9c57-1f3d1f6f5a11")
