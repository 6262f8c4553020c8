package body

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"net/http"

	"frontdesk/adapters/admission"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// MaxBytes is the maximum size of a body.
const MaxBytes = 100 << 20

// The limits of one body in memory, which is its JSON without the data of attachments.
// Small values take far more memory than their text, so they are counted.
const (
	maxInline = 4 << 20
	maxValues = 1 << 16
	maxText   = 1 << 20 // bytes of one string, as it is written
)

// The memory that a body may use without a permit, and with [Texts.Medium].
const (
	smallInline, smallValues   = 16 << 10, 256
	mediumInline, mediumValues = 64 << 10, 2 << 10
)

// Buffer sizes for reading a body, and for reading, decoding and storing a file.
const (
	jsonBuffer   = 4 << 10
	readBuffer   = 32 << 10
	decodeBuffer = readBuffer / 4 * 3
	chunkSize    = 256 << 10
)

// ErrTooLarge refuses a body that is larger than [MaxBytes], or that needs more memory
// than is allowed.
var ErrTooLarge = fault.New(fault.TooLarge, "request-too-large", fmt.Sprintf(
	"A body must have at most %d MiB, and at most %d MiB and %d values beside the data of attachments.",
	MaxBytes>>20, maxInline>>20, maxValues))

// KeyHeader is the header of a call that may be repeated.
const KeyHeader = "Idempotency-Key"

// raw is a body as it arrives. It is limited in size and, if the call may be repeated,
// hashed.
type raw struct {
	io.Reader
	hash hash.Hash // nil if the call has no Idempotency-Key
}

// rawOf returns the body of a call, or refuses another media type or a declared length
// that is too large.
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

// sum returns the SHA-256 of the bytes read; zero if they were not hashed.
func (b *raw) sum() (sum event.Digest) {
	if b.hash != nil {
		b.hash.Sum(sum[:0])
	}
	return sum
}

// Texts are the permits that a body takes as its text grows. They limit the memory of
// all calls together. Nil permits limit nothing, as at the command line.
type Texts struct {
	Medium *admission.Permit // for some 300 KiB
	Long   *admission.Permit // for some 10 MiB
}

// Release releases the permits that were taken.
func (t Texts) Release() {
	t.Medium.Release()
	t.Long.Release()
}

// held counts the memory of a body.
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

// inline is the JSON of a body in memory. None of its texts may be longer than maxText.
type inline struct {
	io.Reader
	*held
	text texts // the current one, or the last
}

var errLongText = ErrInvalid.Worded("Only an attachment's data may be longer than %d bytes.").Filled(maxText)

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
	inside  bool // in a string, after its opening quote
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

// runLength limits the search for a run. Without it, a text of escapes only would be
// searched to its end for each of them.
const runLength = 256

// run skips the plain characters at the start of text, and returns their number: those
// of a string up to its next quote or backslash, or up to runLength.
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

// pass processes a run or one character, and returns its length.
func (t *texts) pass(text []byte) int {
	if n := t.run(text); n > 0 {
		return n
	}
	t.follow(text[0])
	return 1
}
