package proof

import (
	"encoding/binary"
	"time"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/event"
)

// AccessLeaf is the hashed values of a line of the access record. Its form is
// permanent.
type AccessLeaf struct {
	Idx         int64 // in the access record of all practices
	RequestID   uuid.UUID
	At          time.Time // in microseconds
	Tenant      string    // in the address of the call; the practice may not exist
	Application uuid.UUID
	Mode        string
	Staff       uuid.UUID // zero for none
	Endpoint    string
	Patient     uuid.UUID // zero for none
	Status      int
	Code        string
	TokenHash   event.Digest
	Reason      event.Digest  // of the text of the answer
	Act         *event.Digest // of the stored act claim; nil if the token had none
	Sealed      *event.Digest // of the box of the act claim's practitioner; nil for none
	Repeats     int           // equal refusals before it that have no line
}

const accessLeafForm = "frontdesk/access-leaf/v1\n"

// Append appends the bytes that are hashed, in the form of [Leaf.Append]. The status has
// 4 bytes. If there are repeats, their 4 bytes end the leaf.
func (l AccessLeaf) Append(b []byte) []byte {
	b = append(b, accessLeafForm...)
	b = binary.BigEndian.AppendUint64(b, uint64(l.Idx))
	b = append(b, l.RequestID[:]...)
	b = appendInstant(b, l.At)
	b = appendText(b, l.Tenant)
	b = append(b, l.Application[:]...)
	b = appendText(b, l.Mode)
	b = appendID(b, l.Staff)
	b = appendText(b, l.Endpoint)
	b = appendID(b, l.Patient)
	b = binary.BigEndian.AppendUint32(b, uint32(l.Status))
	b = appendText(b, l.Code)
	b = append(b, l.TokenHash[:]...)
	b = append(b, l.Reason[:]...)
	b = appendDigest(b, l.Act)
	b = appendDigest(b, l.Sealed)
	if l.Repeats == 0 {
		return b
	}
	return binary.BigEndian.AppendUint32(b, uint32(l.Repeats))
}

// Hash returns the hash of the leaf, as RFC 6962 has it.
func (l AccessLeaf) Hash() tlog.Hash { return tlog.RecordHash(l.Append(make([]byte, 0, usualLeaf))) }
