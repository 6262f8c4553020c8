package sealing

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// Key encrypts the personal data of one holder.
type Key [32]byte

// NewKey returns a key of random bytes.
func NewKey() Key {
	var k Key
	_, _ = rand.Read(k[:]) // never fails
	return k
}

// String keeps the key out of logs.
func (Key) String() string { return "[key]" }

// GoString keeps the key out of logs.
func (Key) GoString() string { return "[key]" }

// Fingerprint identifies a key without revealing anything else about it. It is part of
// every box, because AES-GCM alone is not key-committing: a box could be made that
// opens under two keys.
type Fingerprint [16]byte

// String returns the fingerprint in hexadecimal.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// Fingerprint returns the key's fingerprint.
func (k Key) Fingerprint() (f Fingerprint) {
	secretly(func() { f = k.fingerprint() })
	return f
}

func (k Key) fingerprint() Fingerprint {
	defer clear(k[:]) // the copy that New has moved to the heap
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte("frontdesk/key/v1"))
	return Fingerprint(mac.Sum(nil)[:16])
}

// Box is the sealed values of one holder in one event. As stored it is
//
//	1 ‖ kind ‖ holder 16 ‖ fingerprint 16 ‖ u32 length ‖ nonce 12 ‖ ciphertext ‖ tag 16
//
// and the plaintext is a JSON array of the values, padded with spaces to a multiple of
// 32 bytes.
type Box struct {
	Of          event.Holder
	Fingerprint Fingerprint // of its key
	sealed      []byte
}

const (
	boxVersion = 1
	boxHeader  = 1 + 1 + 16 + 16 + 4
	padding    = 32
)

// ErrNotABox means that the stored bytes are not boxes that this program can read.
var ErrNotABox = errors.New("the sealed bytes are not in a form that this program knows")

// ErrForeignBox means that a box was altered, moved from another event, or encrypted with another
// key.
var ErrForeignBox = errors.New("the box does not open: it was altered, moved or sealed with another key")

// Seal returns the box of a holder's values in an event.
func (k Key) Seal(of event.Holder, values []string, in event.Stored) ([]byte, error) {
	return k.seal(of, values, boundTo(of, in))
}

func (k Key) seal(of event.Holder, values []string, bound []byte) (box []byte, err error) {
	secretly(func() { box, err = k.encrypt(of, values, bound) })
	return box, err
}

func (k Key) encrypt(of event.Holder, values []string, bound []byte) ([]byte, error) {
	plain, err := json.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	for len(plain)%padding != 0 {
		plain = append(plain, ' ')
	}
	aead, err := aeadOf(k)
	if err != nil {
		return nil, err
	}
	fingerprint := k.Fingerprint()
	box := make([]byte, 0, boxHeader+len(plain)+aead.Overhead())
	box = append(box, boxVersion, byte(of.Kind))
	box = append(box, of.ID[:]...)
	box = append(box, fingerprint[:]...)
	box = binary.BigEndian.AppendUint32(box, uint32(len(plain)+aead.Overhead())) // an event has a few MiB
	return aead.Seal(box, nil, plain, bound), nil
}

// Boxes splits the boxes of an event, which are concatenated.
func Boxes(all []byte) (boxes []Box, err error) {
	for len(all) > 0 {
		if len(all) < boxHeader || all[0] != boxVersion {
			return nil, ErrNotABox
		}
		length := uint64(binary.BigEndian.Uint32(all[boxHeader-4:]))
		if length > uint64(len(all)-boxHeader) {
			return nil, ErrNotABox
		}
		end := boxHeader + int(length)
		boxes = append(boxes, Box{
			Of:          event.Holder{Kind: event.HolderKind(all[1]), ID: [16]byte(all[2:18])},
			Fingerprint: Fingerprint(all[18:34]),
			sealed:      all[boxHeader:end],
		})
		all = all[end:]
	}
	return boxes, nil
}

// Open returns the values of a box in an event, or [ErrForeignBox].
func (b Box) Open(k Key, in event.Stored) ([]string, error) {
	return b.open(k, boundTo(b.Of, in))
}

func (b Box) open(k Key, bound []byte) (values []string, err error) {
	secretly(func() { values, err = b.decrypt(k, bound) })
	return values, err
}

func (b Box) decrypt(k Key, bound []byte) (values []string, err error) {
	if k.Fingerprint() != b.Fingerprint {
		return nil, ErrForeignBox
	}
	aead, err := aeadOf(k)
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, nil, b.sealed, bound)
	if err != nil {
		return nil, ErrForeignBox
	}
	if err := json.Unmarshal(plain, &values); err != nil {
		return nil, ErrNotABox
	}
	return values, nil
}

// boundTo is the additional authenticated data of a box: its holder and its event.
func boundTo(of event.Holder, in event.Stored) []byte {
	bound := append([]byte("frontdesk/box/v1\x00"), byte(of.Kind))
	bound = append(bound, of.ID[:]...)
	bound = append(bound, in.ID[:]...)
	bound = append(bound, in.Stream.ID[:]...)
	bound = binary.BigEndian.AppendUint32(bound, uint32(in.Version)) // as many as a stream has events
	bound = binary.BigEndian.AppendUint32(bound, uint32(len(in.Stream.Tenant)))
	bound = append(bound, in.Stream.Tenant...)
	return append(bound, in.Name...)
}

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

// Practitioner derives the identifier of a practitioner from the practice's index key:
// the same for the same person, and not guessable without the key.
func (k Key) Practitioner(tenant, known string) uuid.UUID {
	defer clear(k[:])
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte("frontdesk/practitioner/v1\x00" + tenant + "\x00" + known))
	return uuid.UUID(mac.Sum(nil)[:16])
}
