package sealing

import (
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"errors"

	"github.com/google/uuid"
)

// Base64 returns the key of a file as the event that names the file holds it, sealed.
func (k Key) Base64() string { return base64.StdEncoding.EncodeToString(k[:]) }

// ErrNotAKey says that a text is no key of a file in a form that this program knows.
var ErrNotAKey = errors.New("this is no key of a file in a form that this program knows")

// ParseKey reads what [Key.Base64] returns. Another cipher would be another form.
func ParseKey(text string) (Key, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != len(Key{}) {
		return Key{}, ErrNotAKey
	}
	return Key(raw), nil
}

// File seals and opens one file, part by part, so that nobody has to hold it in memory.
// It must not be used concurrently. A sealed part is
//
//	nonce 12 ‖ ciphertext ‖ tag 16
//
// and opens only in its place: as part n of this file, and as the last one only if it was
// the last. So no part can be moved, left out or cut off at the end unseen.
type File struct {
	aead  cipher.AEAD
	bound []byte // what the parts are authenticated with; the place is written into it
	place int    // where in bound
}

// ErrForeignPart says that a part of a file was altered, moved or left out, or that it was
// sealed with another key.
var ErrForeignPart = errors.New("a part of the file does not open: it was altered, moved or sealed with another key")

// File returns what seals the parts of a practice's file under this key. A key is of one
// file only.
func (k Key) File(tenant string, id uuid.UUID) (*File, error) {
	aead, err := aeadOf(k)
	if err != nil {
		return nil, err
	}
	bound := append([]byte("frontdesk/part/v1\x00"), id[:]...)
	bound = binary.BigEndian.AppendUint32(bound, uint32(len(tenant))) // a practice's name
	bound = append(bound, tenant...)
	return &File{aead: aead, bound: bound, place: len(bound)}, nil
}

// Seal seals part n of the file, counted from 0. It seals in place if there is room behind
// the part, so the part must not be used afterwards.
func (f *File) Seal(part []byte, n int, last bool) []byte {
	return f.aead.Seal(part[:0], nil, part, f.boundTo(n, last))
}

// Open undoes [File.Seal], in place, or returns [ErrForeignPart].
func (f *File) Open(sealed []byte, n int, last bool) ([]byte, error) {
	part, err := f.aead.Open(sealed[:0], nil, sealed, f.boundTo(n, last))
	if err != nil {
		return nil, ErrForeignPart
	}
	return part, nil
}

func (f *File) boundTo(n int, last bool) []byte {
	f.bound = binary.BigEndian.AppendUint32(f.bound[:f.place], uint32(n)) // a file has a few dozen
	if last {
		return append(f.bound, 1)
	}
	return append(f.bound, 0)
}
