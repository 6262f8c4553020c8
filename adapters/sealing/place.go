package sealing

import (
	"encoding/binary"

	"frontdesk/domain/event"
)

// SealAt returns a box of a holder's values outside events. The place is a name that is
// unique in the practice.
func (k Key) SealAt(tenant, place string, of event.Holder, values []string) ([]byte, error) {
	return k.seal(of, values, boundToPlace(tenant, place, of))
}

// OpenAt returns the values of a box in its place, or [ErrForeignBox].
func (b Box) OpenAt(k Key, tenant, place string) ([]string, error) {
	return b.open(k, boundToPlace(tenant, place, b.Of))
}

func boundToPlace(tenant, place string, of event.Holder) []byte {
	bound := append([]byte("frontdesk/place/v1\x00"), byte(of.Kind))
	bound = append(bound, of.ID[:]...)
	bound = binary.BigEndian.AppendUint32(bound, uint32(len(tenant))) // a practice's name
	bound = append(bound, tenant...)
	return append(bound, place...)
}
