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

// The minimum pace of a body: so many bytes in so much time, and a limit for the whole
// body.
const (
	paceBytes = 64 << 10
	paceTime  = 10 * time.Second
	bodyTime  = 15 * time.Minute
)

// The limits of a body that is discarded after an early answer.
const (
	drainBytes = body.MaxBytes
	drainTime  = 5 * time.Second // unless API.Rest is set
)

// paced applies the pace to the bodies of all calls. It also makes sure that the client
// sees an answer that is sent before the end of its body.
func (a *API) paced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		paced := &pacedBody{ReadCloser: r.Body, control: http.NewResponseController(w), left: paceTime, whole: bodyTime}
		paced.awaited = strings.EqualFold(r.Header.Get("Expect"), "100-continue")
		// Without this, the server reads part of the body before it sends an early
		// answer. The only error is that the call is not HTTP/1.
		_ = paced.control.EnableFullDuplex()
		call := r.WithContext(r.Context())
		call.Body = paced
		next.ServeHTTP(w, call)
		a.drain(callOf(r.Context()), paced)
	})
}

// pacedBody is a body that is arriving. Only the time spent waiting for the client
// counts, not our work between two reads.
type pacedBody struct {
	io.ReadCloser
	control *http.ResponseController
	left    time.Duration // for the rest of this step
	whole   time.Duration // for the rest of the body
	bytes   int           // of this step
	awaited bool          // the client waits for a 100 Continue before it sends the body
	ended   bool
}

// Read returns [errTooSlow] or [errTooLong] if the body falls behind the pace. A broken
// connection reads as an early end of the body.
func (b *pacedBody) Read(p []byte) (int, error) {
	if b.ended {
		return 0, io.EOF // the server owns the connection again
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

// drain sends an early answer and discards the rest of the body. A simple client sends
// its whole body before it reads, and would otherwise see a broken pipe instead of the
// answer.
//
// If the rest is not read to its end, the connection is closed: the server would parse
// the rest as the next call. Without a permit the rest is not read.
func (a *API) drain(c *call, b *pacedBody) {
	if b.ended || b.awaited {
		return
	}
	_ = b.control.Flush() // an error means that the client has disconnected
	var rest time.Duration
	if permit, err := c.take(a.permits.rests); err == nil {
		defer permit.Release()
		rest = cmp.Or(a.Rest, drainTime)
	}
	_ = b.control.SetReadDeadline(clock.Deadline(rest))
	if _, err := io.CopyN(io.Discard, b.ReadCloser, drainBytes); !errors.Is(err, io.EOF) {
		panic(http.ErrAbortHandler)
	}
}
