package httpapi

import (
	"crypto/sha256"
	"hash"
	"io"
	"net/http"

	"frontdesk/domain/event"
)

// maxBody bounds a body on the wire (D19).
const maxBody = 100 << 20

// raw is a body as it arrives: bounded and, for a call that may be made again,
// hashed.
type raw struct {
	io.Reader
	hash hash.Hash // nil: nobody asks
}

// rawBody is the body of a call, if it is of our media type and not declared
// to be too large.
func rawBody(r *http.Request) (*raw, error) {
	switch {
	case !isJSON(r.Header.Values("Content-Type")):
		return nil, errMediaType
	case r.ContentLength > maxBody:
		return nil, errTooLarge
	}
	body := &raw{Reader: http.MaxBytesReader(nil, r.Body, maxBody)}
	if r.Header.Values("Idempotency-Key") != nil {
		body.hash = sha256.New()
		body.Reader = io.TeeReader(body.Reader, body.hash)
	}
	return body, nil
}

// sum is the SHA-256 of what has been read.
func (b *raw) sum() (sum event.Digest) {
	if b.hash != nil {
		b.hash.Sum(sum[:0])
	}
	return sum
}
