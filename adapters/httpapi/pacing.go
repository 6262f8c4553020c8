package httpapi

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/httpapi/body"
)

// The pace at which a body has to arrive: so many bytes in so much time, and all of
// it in the end.
const (
	paceBytes = 64 << 10
	paceTime  = 10 * time.Second
	bodyTime  = 15 * time.Minute
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
		paced := &pacedBody{ReadCloser: r.Body, control: http.NewResponseController(w), left: paceTime, whole: bodyTime}
		paced.awaited = strings.EqualFold(r.Header.Get("Expect"), "100-continue")
		// Without this, the server reads a part of the body before it sends an
		// early answer. The only error is that the call did not come by HTTP/1.
		_ = paced.control.EnableFullDuplex()
		call := r.WithContext(r.Context())
		call.Body = paced
		next.ServeHTTP(w, call)
		a.drain(callOf(r.Context()), paced)
	})
}

// pacedBody is a body that is arriving. Only the time counts in which we wait for
// the client, and not what we do between two reads.
type pacedBody struct {
	io.ReadCloser
	control *http.ResponseController
	left    time.Duration // for the rest of this step
	whole   time.Duration // for the rest of the body
	bytes   int           // of this step
	awaited bool          // the client waits for a 100 Continue before it sends anything
	ended   bool
}

// Read reads on. It returns [errTooSlow] or [errTooLong] if the body falls behind
// the pace. A connection that breaks ends the body too early, as a body may end.
func (b *pacedBody) Read(p []byte) (int, error) {
	if b.ended {
		return 0, io.EOF // the connection is the server's again
	}
	b.awaited = false
	watch := clock.Start()
	_ = b.control.SetReadDeadline(clock.Deadline(min(b.left, b.whole)))
	n, err := b.ReadCloser.Read(p)
	took := watch.Elapsed()
	b.left, b.whole = b.left-took, b.whole-took
	if b.bytes += n; b.bytes >= paceBytes {
		b.bytes, b.left = 0, paceTime
	}
	return n, b.meaningOf(err)
}

func (b *pacedBody) meaningOf(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF):
		b.ended = true
		return err
	case errors.Is(err, os.ErrDeadlineExceeded) && b.whole <= 0:
		return errTooLong
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errTooSlow
	}
	return io.ErrUnexpectedEOF
}

// drain sends an early answer and throws the rest of the body away. A simple
// client sends its whole body before it reads, and would otherwise see a broken
// pipe in place of the answer.
//
// If the rest is not read to its end, the connection is closed: the rest would be
// taken for the next call. Without a seat there is no time to read it.
func (a *API) drain(c *call, b *pacedBody) {
	if b.ended || b.awaited {
		return
	}
	_ = b.control.Flush() // an error means that the client has gone
	var rest time.Duration
	if seat, err := c.take(a.seats.rests); err == nil {
		defer seat.Release()
		rest = cmp.Or(a.Rest, drainTime)
	}
	_ = b.control.SetReadDeadline(clock.Deadline(rest))
	if _, err := io.CopyN(io.Discard, b.ReadCloser, drainBytes); !errors.Is(err, io.EOF) {
		panic(http.ErrAbortHandler)
	}
}
