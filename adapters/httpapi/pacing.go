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

// The pace at which a body has to arrive: so many bytes in so much time.
const (
	paceBytes = 64 << 10
	paceTime  = 10 * time.Second
)

// The bounds of a body that is thrown away after an early answer.
const (
	drainBytes = body.MaxBytes
	drainTime  = 5 * time.Second // unless API.Rest says otherwise
)

// paced makes the bodies of all calls arrive at a pace. It also makes sure that
// the client sees an answer that is given before the end of its body.
func (a *API) paced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		paced := &pacedBody{ReadCloser: r.Body, control: http.NewResponseController(w), left: paceTime, rest: cmp.Or(a.Rest, drainTime)}
		paced.awaited = strings.EqualFold(r.Header.Get("Expect"), "100-continue")
		// Without this, the server reads a part of the body before it sends an
		// early answer. The only error is that the call did not come by HTTP/1.
		_ = paced.control.EnableFullDuplex()
		call := r.WithContext(r.Context())
		call.Body = paced
		next.ServeHTTP(w, call)
		paced.drain()
	})
}

// pacedBody is a body that is arriving. Only the time counts in which we wait for
// the client, and not what we do between two reads.
type pacedBody struct {
	io.ReadCloser
	control *http.ResponseController
	left    time.Duration // for the rest of this step
	bytes   int           // of this step
	rest    time.Duration // for throwing away what is left after an early answer
	awaited bool          // the client waits for a 100 Continue before it sends anything
	ended   bool
}

// Read reads on. It returns [errTooSlow] if the body falls behind the pace.
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

// drain sends an early answer and throws the rest of the body away. A simple
// client sends its whole body before it reads, and would otherwise see a broken
// pipe in place of the answer.
//
// If the rest is not read to its end, the connection is closed: the rest would be
// taken for the next call.
func (b *pacedBody) drain() {
	if b.ended || b.awaited {
		return
	}
	_ = b.control.Flush() // an error means that the client has gone
	_ = b.control.SetReadDeadline(time.Now().Add(b.rest))
	if _, err := io.CopyN(io.Discard, b.ReadCloser, drainBytes); !errors.Is(err, io.EOF) {
		panic(http.ErrAbortHandler)
	}
}
