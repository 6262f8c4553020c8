package export

import (
	"encoding/base64"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/event"
	"frontdesk/domain/proof"
)

// EventLine shows an event. The leaf's digest replaces a part that is nil.
type EventLine struct {
	N              int64 // the leaf's number in its tree, from 0
	Leaf           proof.Leaf
	Data, Metadata []byte // in stored form
	Sealed         []byte
	Opened         []byte // the data with personal values; nil unless requested, and covered by no leaf
}

// EventOf returns the whole line of an event.
func EventOf(n int64, s event.Stored) EventLine {
	return EventLine{N: n, Leaf: proof.LeafOf(s), Data: s.Data, Metadata: s.Metadata, Sealed: s.Sealed}
}

// Hash returns the hash of the leaf.
func (l EventLine) Hash() tlog.Hash { return l.Leaf.Hash() }

// Append appends the line and its end. It fails if a text is not UTF-8.
func (l EventLine) Append(b []byte) ([]byte, error) {
	w := writer{b: b}
	w.number(`{"n":`, l.N)
	w.number(`,"idx":`, l.Leaf.Idx)
	w.text(`,"tenant":`, l.Leaf.Tenant)
	w.id(`,"stream":`, l.Leaf.Stream)
	w.number(`,"version":`, int64(l.Leaf.Version))
	w.id(`,"id":`, l.Leaf.ID)
	w.text(`,"name":`, l.Leaf.Name)
	w.instant(`,"recordedAt":`, l.Leaf.At)
	w.optionalID(`,"patient":`, l.Leaf.Patient)
	w.part(`,"data":`, `,"dataSha256":`, l.Data, l.Leaf.Data)
	w.part(`,"metadata":`, `,"metadataSha256":`, l.Metadata, l.Leaf.Metadata)
	w.sealed(l.Sealed, l.Leaf.Sealed)
	if l.Opened != nil {
		w.text(`,"opened":`, string(l.Opened))
	}
	return w.end()
}

// AccessLine shows a line of the access record. The leaf's digest replaces a part that
// is nil.
type AccessLine struct {
	N           int64 // the leaf's number in its tree, from 0
	Leaf        proof.AccessLeaf
	Reason, Act []byte // in stored form
	Sealed      []byte
}

// Hash returns the hash of the leaf.
func (l AccessLine) Hash() tlog.Hash { return l.Leaf.Hash() }

// Append appends the line and its end. It fails if a text is not UTF-8.
func (l AccessLine) Append(b []byte) ([]byte, error) {
	w := writer{b: b}
	w.number(`{"n":`, l.N)
	w.number(`,"idx":`, l.Leaf.Idx)
	w.id(`,"requestId":`, l.Leaf.RequestID)
	w.instant(`,"at":`, l.Leaf.At)
	w.text(`,"tenant":`, l.Leaf.Tenant)
	w.id(`,"application":`, l.Leaf.Application)
	w.text(`,"mode":`, l.Leaf.Mode)
	w.optionalID(`,"staff":`, l.Leaf.Staff)
	w.text(`,"endpoint":`, l.Leaf.Endpoint)
	w.optionalID(`,"patient":`, l.Leaf.Patient)
	w.number(`,"status":`, int64(l.Leaf.Status))
	w.text(`,"code":`, l.Leaf.Code)
	w.text(`,"tokenHash":`, l.Leaf.TokenHash.String())
	w.part(`,"reason":`, `,"reasonSha256":`, l.Reason, l.Leaf.Reason)
	if l.Leaf.Act != nil {
		w.part(`,"act":`, `,"actSha256":`, l.Act, *l.Leaf.Act)
	}
	w.sealed(l.Sealed, l.Leaf.Sealed)
	if l.Leaf.Repeats > 0 {
		w.number(`,"repeats":`, int64(l.Leaf.Repeats))
	}
	return w.end()
}

// HashLine is a leaf that is shown only as its hash.
type HashLine struct {
	N    int64
	Leaf tlog.Hash
}

// Append appends the line and its end.
func (l HashLine) Append(b []byte) ([]byte, error) {
	w := writer{b: b}
	w.number(`{"n":`, l.N)
	w.text(`,"leaf":`, l.Leaf.String())
	return w.end()
}

// instantForm always has six digits of a second.
const instantForm = "2006-01-02T15:04:05.000000Z"

// writer appends members, and keeps the first error.
type writer struct {
	b   []byte
	err error
}

func (w *writer) number(name string, n int64) { w.b = strconv.AppendInt(append(w.b, name...), n, 10) }

func (w *writer) text(name, text string) {
	b, err := jsontext.AppendQuote(append(w.b, name...), text)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.b = b
}

func (w *writer) id(name string, id uuid.UUID) { w.text(name, id.String()) }

func (w *writer) optionalID(name string, id uuid.UUID) {
	if id != uuid.Nil {
		w.id(name, id)
	}
}

func (w *writer) instant(name string, at time.Time) { w.text(name, at.UTC().Format(instantForm)) }

func (w *writer) part(name, digestName string, part []byte, digest event.Digest) {
	if part == nil {
		w.text(digestName, digest.String())
		return
	}
	w.text(name, string(part))
}

func (w *writer) sealed(box []byte, digest *event.Digest) {
	switch {
	case digest == nil:
	case box == nil:
		w.text(`,"sealedSha256":`, digest.String())
	default:
		w.text(`,"sealed":`, base64.StdEncoding.EncodeToString(box))
	}
}

func (w *writer) end() ([]byte, error) { return append(w.b, '}', '\n'), w.err }
