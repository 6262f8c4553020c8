package app

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/httpapi"
)

// unreadTime is how long the answer to a request that could not be read may take.
const unreadTime = 10 * time.Second

// Write passes bytes on. Anything that net/http writes while no handler answers refuses a
// malformed request, or an Expect header that it does not know. Write replaces it by the form
// of the contract and ends the connection, as net/http would.
//
// Only the calls of net/http show whether a handler answers ([server.count], [closing]). The
// bytes never do: those of an answer may come from a client.
func (c *framedConn) Write(p []byte) (int, error) {
	switch {
	case c.refused:
		return len(p), nil
	case c.answering.Load() || c.server.unread == nil:
		return c.Conn.Write(p)
	}
	status, why, ok := statusLine(p)
	if !ok {
		return c.Conn.Write(p)
	}
	if c.follower.spoils {
		why = httpapi.Ambiguous
	}
	c.refused = true
	_ = c.SetWriteDeadline(clock.Deadline(unreadTime))
	if _, err := c.Conn.Write(c.server.unread(status, why)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// statusLine returns the status of an answer, and the reason that net/http adds to the
// status's own text. That is one of a few sentences, and never a client's text.
func statusLine(answer []byte) (status int, why string, ok bool) {
	line, _, _ := bytes.Cut(answer, []byte("\r\n"))
	text, ok := strings.CutPrefix(string(line), "HTTP/1.1 ")
	if !ok || len(text) < 3 {
		return 0, "", false
	}
	status, err := strconv.Atoi(text[:3])
	_, why, _ = strings.Cut(text, ": ")
	return status, why, err == nil && status >= http.StatusBadRequest
}

// unreadBy returns the function that makes the whole answer to a malformed request. The
// answer has an id, which is logged.
func unreadBy(log *slog.Logger, now func() time.Time) func(says int, why string) []byte {
	return func(says int, why string) []byte {
		status, headers, body := httpapi.Unread(says, why, now())
		log.InfoContext(context.Background(), "request could not be read",
			slog.Int("status", status), slog.String("request_id", headers.Get("X-Request-Id")))
		var answer bytes.Buffer
		fmt.Fprintf(&answer, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
		_ = headers.Write(&answer) // a buffer takes everything
		fmt.Fprintf(&answer, "\r\n%s", body)
		return answer.Bytes()
	}
}
