package proof

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Leaf is the hashed values of an event. Its form is permanent.
type Leaf struct {
	Idx      int64 // in the log of all practices
	Tenant   string
	Stream   uuid.UUID
	Version  int
	ID       uuid.UUID
	Name     string
	At       time.Time // in microseconds
	Patient  uuid.UUID // the subject; zero if it is not about a patient
	Data     event.Digest
	Metadata event.Digest
	Sealed   *event.Digest // nil if nothing is encrypted
}

// LeafOf returns the leaf of a stored event.
func LeafOf(s event.Stored) Leaf {
	l := Leaf{
		Idx: s.Idx, Tenant: s.Stream.Tenant, Stream: s.Stream.ID, Version: s.Version, ID: s.ID, Name: s.Name, At: s.At,
		Patient: s.Patient, Data: sha256.Sum256(s.Data), Metadata: sha256.Sum256(s.Metadata),
	}
	if s.Sealed != nil {
		l.Sealed = new(event.Digest(sha256.Sum256(s.Sealed)))
	}
	return l
}

const leafForm = "frontdesk/leaf/v1\n"

// Append appends the hashed bytes: numbers big-endian, in 8 bytes or, the version, in
// 4; texts after their length in 2; identifiers as their 16; an instant as microseconds
// since 1970. An optional value has a byte 1 in front, or is a byte 0 if it is missing.
func (l Leaf) Append(b []byte) []byte {
	b = append(b, leafForm...)
	b = binary.BigEndian.AppendUint64(b, uint64(l.Idx))
	b = appendText(b, l.Tenant)
	b = append(b, l.Stream[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(l.Version))
	b = append(b, l.ID[:]...)
	b = appendText(b, l.Name)
	b = appendInstant(b, l.At)
	b = appendID(b, l.Patient)
	b = append(b, l.Data[:]...)
	b = append(b, l.Metadata[:]...)
	return appendDigest(b, l.Sealed)
}

// Hash returns the hash of the leaf, according to RFC 6962.
func (l Leaf) Hash() tlog.Hash { return tlog.RecordHash(l.Append(make([]byte, 0, usualLeaf))) }

// usualLeaf is room for the bytes of most leaves.
const usualLeaf = 320

// maxText is the length of the longest text that a leaf can hold.
const maxText = 1<<16 - 1

// ErrTextTooLong refuses an event that no leaf can hold: a longer text would be hashed with a
// length that is cut.
var ErrTextTooLong = fault.New(fault.Invalid, "leaf-text-too-long", "The names of a practice and of an event must have at most 65,535 bytes each: a proof holds no longer ones.")

// CheckTexts returns [ErrTextTooLong] unless a leaf can hold each of the texts.
func CheckTexts(texts ...string) error {
	for _, text := range texts {
		if len(text) > maxText {
			return ErrTextTooLong
		}
	}
	return nil
}

func appendText(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint16(b, uint16(len(s))), s...)
}

func appendInstant(b []byte, at time.Time) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(at.UnixMicro()))
}

func appendID(b []byte, id uuid.UUID) []byte {
	if id == uuid.Nil {
		return append(b, 0)
	}
	return append(append(b, 1), id[:]...)
}

func appendDigest(b []byte, d *event.Digest) []byte {
	if d == nil {
		return append(b, 0)
	}
	return append(append(b, 1), d[:]...)
}
