package httpapi

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"frontdesk/adapters/httpapi/body"
)

// The pace at which a body has to arrive: so many bytes in so much time (D19).
const (
	paceBytes = 64 << 10
	paceTime  = 10 * time.Second
)

// Bounds of a body that is thrown away after an early answer (D1).
const (
	drainBytes = body.MaxBytes
	drainTime  = 5 * time.Second // unless API.Rest says otherwise
)

// paced sees to the bodies of all calls: that they arrive at a pace, and
// that an answer which comes before their end is seen (D1).
func (a *API) paced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		paced := &pacedBody{ReadCloser: r.Body, control: http.NewResponseController(w), left: paceTime, rest: cmp.Or(a.Rest, drainTime)}
		paced.awaited = strings.EqualFold(r.Header.Get("Expect"), "100-continue")
		// Otherwise the server reads a part of the body before it lets an early
		// answer go. An error means that this is no HTTP/1, which needs no help.
		_ = paced.control.EnableFullDuplex()
		call := r.WithContext(r.Context())
		call.Body = paced
		next.ServeHTTP(w, call)
		paced.drain()
	})
}

// pacedBody is a body on its way in. The client pays for the time that it lets
// us wait, and not for what we do between two reads.
type pacedBody struct {
	io.ReadCloser
	control *http.ResponseController
	left    time.Duration // for the rest of this step
	bytes   int           // of this step
	rest    time.Duration // for what is left after an early answer
	awaited bool          // the client waits for our word before it sends anything
	ended   bool
}

// Read reads on. [errTooSlow] is a body that falls behind.
func (b *pacedBody) Read(p []byte) (int, error) {
	if b.ended {
		return 0, io.EOF // the connection is the server's again
	}
	b.awaited = false
	begun := time.Now()
	_ = b.control.SetReadDeadline(begun.Add(b.left))
	n, err := b.ReadCloser.Read(p)
	b.left -= time.Since(begun)
	if b.bytes += n; b.bytes >= paceBytes {
		b.bytes, b.left = 0, paceTime
	}
	b.ended = errors.Is(err, io.EOF)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = errTooSlow
	}
	return n, err
}

// drain sends an early answer on its way and throws the rest of the body away,
// so that a simple client, which sends all of it before it reads, sees the
// answer and not a broken pipe (D1).
//
// A connection with a rest on it cannot be used again: the rest would be taken
// for the next call.
func (b *pacedBody) drain() {
	if b.ended || b.awaited {
		return
	}
	_ = b.control.Flush() // an error means that the client is gone
	_ = b.control.SetReadDeadline(time.Now().Add(b.rest))
	if _, err := io.CopyN(io.Discard, b.ReadCloser, drainBytes); !errors.Is(err, io.EOF) {
		panic(http.ErrAbortHandler)
	}
}
