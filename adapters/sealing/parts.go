package sealing

import (
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"errors"

	"github.com/google/uuid"
)

// Base64 returns a file's key in the form for its event, where it is encrypted.
func (k Key) Base64() string { return base64.StdEncoding.EncodeToString(k[:]) }

// ErrNotAKey means that a text is not a file key in a known form.
var ErrNotAKey = errors.New("this is no key of a file in a form that this program knows")

// ParseKey parses the result of [Key.Base64]. Another cipher would have another form.
func ParseKey(text string) (Key, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != len(Key{}) {
		return Key{}, ErrNotAKey
	}
	return Key(raw), nil
}

// File encrypts and decrypts one file in parts, so that it never has to be in memory as
// a whole. It is not safe for concurrent use. An encrypted part is
//
//	nonce 12 ‖ ciphertext ‖ tag 16
//
// and opens only in its place: as part n of this file, and as the last one only if it
// was the last. So moving, omitting or truncating parts is detected.
type File struct {
	aead  cipher.AEAD
	bound []byte // the parts' additional authenticated data, with the part number
	place int    // offset of the part number in bound
}

// PartOverhead is how many bytes an encrypted part has more than the part: nonce and tag.
const PartOverhead = 12 + 16

// ErrForeignPart means that a part of a file was altered, moved, omitted, or encrypted with
// another key.
var ErrForeignPart = errors.New("a part of the file does not open: it was altered, moved or sealed with another key")

// File returns a File of a practice under this key. A key is for one file only.
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

// Seal encrypts part n of the file, counted from 0. It encrypts in place if the slice
// has the capacity, so the part must not be used afterwards.
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
