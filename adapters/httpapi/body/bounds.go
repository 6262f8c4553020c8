package body

import (
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
	maxInline   = 4 << 20
	maxValues   = 1 << 16
	maxText     = 1 << 20  // bytes of one string, as it is written
	smallInline = 64 << 10 // more JSON than this needs a seat
)

// How much of a file is read, decoded and stored at a time.
const (
	readBuffer   = 32 << 10
	decodeBuffer = readBuffer / 4 * 3
	chunkSize    = 256 << 10
)

// ErrTooLarge refuses a body that is larger than [MaxBytes], or of which more
// would have to be held in memory than is allowed.
var ErrTooLarge = fault.New(fault.TooLarge, "request-too-large", fmt.Sprintf(
	"A body must have at most %d MiB, and at most %d MiB and %d values beside the data of attachments.",
	MaxBytes>>20, maxInline>>20, maxValues))

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
	case !isJSON(r.Header.Values("Content-Type")):
		return nil, ErrMediaType
	case r.ContentLength > MaxBytes:
		return nil, ErrTooLarge
	}
	body := &raw{Reader: http.MaxBytesReader(nil, r.Body, MaxBytes)}
	if r.Header.Values("Idempotency-Key") != nil {
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

// inline bounds the JSON of a body that is held in memory. A call that needs much
// has to take a seat, which bounds all such calls together.
type inline struct {
	r    io.Reader
	n    int
	seat *fair.Seat
}

// Read reads on. Its error is [ErrTooLarge], one of [Take] or one of the reader.
func (i *inline) Read(p []byte) (int, error) {
	n, err := i.r.Read(p)
	i.n += n
	if i.n > maxInline {
		return 0, ErrTooLarge
	}
	if i.n > smallInline {
		if err := Take(i.seat); err != nil {
			return 0, err
		}
	}
	return n, err
}
