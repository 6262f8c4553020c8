package httpx

import (
	"io"
	"net/http"
	"strings"
	"time"

	"frontdesk/adapters/clock"
)

// The minimum pace of a client that reads an answer: bytes and the time for them.
const (
	answerBytes = 64 << 10
	answerTime  = 10 * time.Second
)

// WriteDeadline disconnects a client that does not read its answer. While the client reads,
// an answer may take any time.
func WriteDeadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paced := &pacedAnswer{w, http.NewResponseController(w)}
		paced.renew()
		if strings.EqualFold(r.Header.Get("Expect"), "100-continue") {
			r = r.WithContext(r.Context())
			r.Body = awaitedBody{r.Body, paced}
		}
		next.ServeHTTP(paced, r)
		paced.renew() // for the rest in the server's buffer
	})
}

// pacedAnswer renews the connection's write deadline for each piece.
type pacedAnswer struct {
	http.ResponseWriter
	control *http.ResponseController
}

// renew ignores its error, which means that the connection has no deadlines.
func (w *pacedAnswer) renew() { _ = w.control.SetWriteDeadline(clock.Deadline(answerTime)) }

// awaitedBody is the body of a client that waits for a 100 Continue, which the first
// read writes.
type awaitedBody struct {
	io.ReadCloser
	answer *pacedAnswer
}

// Read renews the write deadline first. It is unknown how long ago the call came.
func (b awaitedBody) Read(p []byte) (int, error) {
	b.answer.renew()
	return b.ReadCloser.Read(p)
}

// Write writes in pieces, each with the whole time limit.
func (w *pacedAnswer) Write(p []byte) (written int, err error) {
	for piece := p; ; piece = p[written:] {
		w.renew()
		n, err := w.ResponseWriter.Write(piece[:min(len(piece), answerBytes)])
		if written += n; err != nil || written == len(p) {
			return written, err
		}
	}
}

// FlushError flushes the server's buffer.
func (w *pacedAnswer) FlushError() error {
	w.renew()
	return w.control.Flush()
}

// Unwrap returns the writer that [http.ResponseController] reaches.
func (w *pacedAnswer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
