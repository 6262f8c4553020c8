package body

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"net/http"

	"frontdesk/adapters/fair"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// MaxBytes bounds a body as it arrives.
const MaxBytes = 100 << 20

// The bounds of what is held in memory of one body, which is its JSON without the
// data of attachments. Small values take far more memory than their text, so they
// are counted.
const (
	maxInline = 4 << 20
	maxValues = 1 << 16
	maxText   = 1 << 20 // bytes of one string, as it is written
)

// What a body may hold without a seat, and with one of [Texts.Medium].
const (
	smallInline, smallValues   = 16 << 10, 256
	mediumInline, mediumValues = 64 << 10, 2 << 10
)

// How much of a body is read at a time, and how much of a file is read, decoded and
// stored.
const (
	jsonBuffer   = 4 << 10
	readBuffer   = 32 << 10
	decodeBuffer = readBuffer / 4 * 3
	chunkSize    = 256 << 10
)

// ErrTooLarge refuses a body that is larger than [MaxBytes], or of which more
// would have to be held in memory than is allowed.
var ErrTooLarge = fault.New(fault.TooLarge, "request-too-large", fmt.Sprintf(
	"A body must have at most %d MiB, and at most %d MiB and %d values beside the data of attachments.",
	MaxBytes>>20, maxInline>>20, maxValues))

// KeyHeader is the header of a call that may be made again.
const KeyHeader = "Idempotency-Key"

// raw is a body as it arrives. It is bounded and, if the call may be made again,
// hashed.
type raw struct {
	io.Reader
	hash hash.Hash // nil if the call has no Idempotency-Key
}

// rawOf returns the body of a call, or refuses it if it has another media type
// or is declared to be too large.
func rawOf(r *http.Request) (*raw, error) {
	switch {
	case !IsJSON(r.Header.Values("Content-Type")):
		return nil, ErrMediaType
	case r.ContentLength > MaxBytes:
		return nil, ErrTooLarge
	}
	body := &raw{Reader: http.MaxBytesReader(nil, r.Body, MaxBytes)}
	if r.Header.Values(KeyHeader) != nil {
		body.hash = sha256.New()
		body.Reader = io.TeeReader(body.Reader, body.hash)
	}
	return body, nil
}

// sum returns the SHA-256 of what has been read; zero if it was not hashed.
func (b *raw) sum() (sum event.Digest) {
	if b.hash != nil {
		b.hash.Sum(sum[:0])
	}
	return sum
}

// Texts are the seats that a body takes as the text in it grows. They bound what all
// calls together hold in memory. Nil seats bound nothing, as at the command line.
type Texts struct {
	Medium *fair.Seat // for some 300 KiB
	Long   *fair.Seat // for some 10 MiB
}

// Release gives the seats back that were taken.
func (t Texts) Release() {
	t.Medium.Release()
	t.Long.Release()
}

// held counts what is held in memory of a body.
type held struct {
	bytes, values int
	texts         Texts
}

// add returns [ErrTooLarge], or an error of [Take].
func (h *held) add(bytes, values int) error {
	h.bytes, h.values = h.bytes+bytes, h.values+values
	switch {
	case h.bytes > maxInline || h.values > maxValues:
		return ErrTooLarge
	case h.bytes > mediumInline || h.values > mediumValues:
		return Take(h.texts.Long)
	case h.bytes > smallInline || h.values > smallValues:
		return Take(h.texts.Medium)
	}
	return nil
}

// inline is the JSON of a body that is held in memory. None of its texts may be longer
// than maxText.
type inline struct {
	io.Reader
	*held
	text texts // the present one, or the last
}

var errLongText = ErrInvalid.Worded("Only an attachment's data may be longer than %d bytes.").Filled(maxText)

// Read reads on.
func (i *inline) Read(p []byte) (int, error) {
	n, err := i.Reader.Read(p)
	if full := i.add(n, 0); full != nil {
		return 0, full
	}
	for passed := 0; passed < n; {
		if passed += i.text.pass(p[passed:n]); i.text.length > maxText {
			return 0, errLongText
		}
	}
	return n, err
}

// texts follows the strings of a JSON text.
type texts struct {
	inside  bool // a string, after its opening quote
	escaped bool // the character before was a backslash that escapes this one
	length  int  // as it is written
}

func (t *texts) follow(c byte) {
	switch {
	case !t.inside && c == '"':
		*t = texts{inside: true}
	case !t.inside:
	case c == '"' && !t.escaped:
		t.inside = false
	default:
		t.length++
		t.escaped = c == '\\' && !t.escaped
	}
}

// runLength is how far a run is looked for at a time. It keeps a text that is nothing
// but escapes from being searched to its end for each of them.
const runLength = 256

// run passes the plain characters at the beginning of what comes next, and returns how
// many they are: those of a string up to its next quote or backslash, or up to
// runLength.
func (t *texts) run(text []byte) int {
	if !t.inside || t.escaped {
		return 0
	}
	text = text[:min(len(text), runLength)]
	for _, special := range []byte{'"', '\\'} {
		if i := bytes.IndexByte(text, special); i >= 0 {
			text = text[:i]
		}
	}
	t.length += len(text)
	return len(text)
}

// pass passes a run or one character, and returns how many that were.
func (t *texts) pass(text []byte) int {
	if n := t.run(text); n > 0 {
		return n
	}
	t.follow(text[0])
	return 1
}
