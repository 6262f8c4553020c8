package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/httpapi"
	"frontdesk/domain/request"
)

// brokenShelf fails unexpectedly at the next file.
type brokenShelf struct {
	*counter
	broken bool
}

// AddChunk panics once it is broken.
func (s *brokenShelf) AddChunk(ctx context.Context, tenant string, id request.AttachmentID, n int, data []byte) error {
	if s.broken {
		s.broken = false
		panic(http.ErrAbortHandler) // which net/http does not log
	}
	return s.counter.AddChunk(ctx, tenant, id, n, data)
}

// However a call ends, the next one finds a permit of each kind, of which there is one.
func TestNoSeatIsLost_D44(t *testing.T) {
	t.Parallel()
	c := &counter{}
	shelf := &brokenShelf{counter: c}
	file := cough(jpeg("x.jpg", make([]byte, 100_000)))
	long := strings.Replace(cough(), "a cough", strings.Repeat("a cough ", 10_000), 1)
	both := strings.Replace(file, "a cough", strings.Repeat("a cough ", 10_000), 1)
	for name, ended := range map[string]func(*testing.T, *client){
		"before its body": func(t *testing.T, c *client) { c.send(t, as("a", len(both))) },
		"in its text":     func(t *testing.T, c *client) { c.send(t, as("a", len(long))+long[:70_000]) },
		"in its file":     func(t *testing.T, c *client) { c.send(t, as("a", len(file))+file[:100_000]) },
		"while it waits":  func(t *testing.T, c *client) { c.send(t, as("slow", len(file))+file[:10]) },
		"by a panic in a file": func(t *testing.T, c *client) {
			shelf.broken = true
			c.send(t, as("a", len(file)))
			go func() { _, _ = io.WriteString(c, file) }()
		},
		"by a panic": func(t *testing.T, wire *client) {
			c.appending = func() { panic(http.ErrAbortHandler) }
			wire.send(t, as("a", len(long))+long)
		},
		"while its request is stored": func(t *testing.T, wire *client) {
			c.appending = func() { time.Sleep(time.Second) }
			wire.send(t, as("a", len(long))+long)
			synctest.Wait()
		},
		"by an answer before its body": func(t *testing.T, c *client) {
			c.send(t, strings.Replace(as("a", len(long)), "POST", "PUT", 1))
			wantAnswer(t, c.answer(t), http.StatusMethodNotAllowed, "method-not-allowed")
			c.wantClosed(t)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			api := crowd(c, httpapi.Permits{Slots: 1, Turns: 1, Bodies: 1, Texts: 1, LongTexts: 1, Files: 1, Answers: 1, Rests: 1})
			api.Uploads = shelf
			w := serve(t, api)
			first := w.dial(t)
			ended(t, first)
			synctest.Wait()
			_ = first.Close()
			time.Sleep(2 * time.Minute) // longer than any of them is waited for
			next := w.dial(t)
			go func() { _, _ = io.WriteString(next, as("b", len(both))+both) }()
			if answer := next.answer(t); answer.Code != http.StatusOK {
				t.Errorf("after a call that ended %s: %d %s", name, answer.Code, answer.Body)
			}
		})
	}
}
