package httpapi_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// Clients of many kinds, each with 50 MiB that the server will not read, on real
// connections: all see the whole refusal, and none a broken pipe (D1).

const large = 50 << 20

// dialled is a connection to a service that refuses every caller.
func dialled(t *testing.T) *client {
	t.Helper()
	server := newRefusing(t)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &client{conn, bufio.NewReader(conn)}
}

// sendLarge sends a number of bytes before it reads.
func (c *client) sendLarge(t *testing.T, bytes int) {
	t.Helper()
	piece := strings.Repeat(" ", 1<<20)
	for ; bytes > 0; bytes -= len(piece) {
		c.send(t, piece[:min(bytes, len(piece))])
	}
}

// sendChunks sends a large body in chunks.
func (c *client) sendChunks(t *testing.T) {
	t.Helper()
	piece := fmt.Sprintf("%x\r\n%s\r\n", 1<<20, strings.Repeat(" ", 1<<20))
	for range large >> 20 {
		c.send(t, piece)
	}
	c.send(t, "0\r\n\r\n")
}

const chunkedHead = "POST /transactional-api/create-patient-request HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"

func TestConnectionOutlivesLargeRefusals_D1(t *testing.T) {
	t.Parallel()
	c := dialled(t)
	c.send(t, head(large))
	c.sendLarge(t, large)
	wantAnswer(t, c.answer(t), http.StatusForbidden, "unauthorized")
	c.send(t, chunkedHead)
	c.sendChunks(t)
	wantAnswer(t, c.answer(t), http.StatusForbidden, "unauthorized")
	c.send(t, head(0))
	wantAnswer(t, c.answer(t), http.StatusForbidden, "unauthorized")
}

func TestOldClientSeesRefusalOfLargeBody_D1(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{
		"HTTP/1.0": "POST /transactional-api/create-patient-request HTTP/1.0\r\nHost: localhost\r\nContent-Length: 52428800\r\n\r\n",
		"closing":  head(large, "Connection: close"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dialled(t)
			c.send(t, request)
			c.sendLarge(t, large)
			wantAnswer(t, c.answer(t), http.StatusForbidden, "unauthorized")
			c.wantClosed(t)
		})
	}
}

// A client that sends Expect gets the whole answer at once, before it sends a body.
func TestAClientThatAsksFirstIsRefusedAtOnce_D1(t *testing.T) {
	t.Parallel()
	c := dialled(t)
	c.send(t, head(large, "Expect: 100-continue"))
	answer := c.answer(t) // no 100 before it
	wantAnswer(t, answer, http.StatusForbidden, "unauthorized")
	c.wantClosed(t)
}

// A client that sends Expect but does not wait long sends its body anyway.
func TestExpectingSenderSeesRefusal_D1(t *testing.T) {
	t.Parallel()
	c := dialled(t)
	c.send(t, head(large, "Expect: 100-continue"))
	_, _ = io.WriteString(c, strings.Repeat(" ", large)) // the connection may be closed by now
	wantAnswer(t, c.answer(t), http.StatusForbidden, "unauthorized")
}

func TestGosClientSeesTheRefusalOfALargeBody_D1(t *testing.T) {
	t.Parallel()
	server := newRefusing(t)
	for name, body := range map[string]io.Reader{
		"of a known length":    bytes.NewReader(make([]byte, large)),
		"of an unknown length": io.LimitReader(zeros{}, large),
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/transactional-api/create-patient-request", body)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "localhost"
		response, err := server.Client().Do(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != http.StatusForbidden || err != nil || !bytes.Contains(text, []byte("unauthorized")) {
			t.Errorf("%s: %d %s, %v", name, response.StatusCode, text, err)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
