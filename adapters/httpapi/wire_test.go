package httpapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/adapters/httpx"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

// wire is a server whose connections are pipes, so that it can run in a synctest
// bubble.
type wire struct {
	dials  chan net.Conn
	closed chan struct{}
}

// Accept hands out the connections.
func (w *wire) Accept() (net.Conn, error) {
	select {
	case conn := <-w.dials:
		return conn, nil
	case <-w.closed:
		return nil, net.ErrClosed
	}
}

// Close ends the listening.
func (w *wire) Close() error { close(w.closed); return nil }

// Addr returns a placeholder address.
func (w *wire) Addr() net.Addr { return &net.UnixAddr{Net: "pipe"} }

func serve(t *testing.T, api *httpapi.API) *wire {
	t.Helper()
	w := &wire{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: httpx.WriteDeadline(api.Handler()), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	done := make(chan error, 1)
	go func() { done <- server.Serve(w) }()
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return w
}

// client is one connection, and its answers.
type client struct {
	net.Conn
	answers *bufio.Reader
}

func (w *wire) dial(t *testing.T) *client {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = ours.Close() })
	w.dials <- theirs
	return &client{ours, bufio.NewReader(ours)}
}

// head is the head of a call with a body of a length.
func head(length int, more ...string) string {
	lines := append([]string{
		"POST /transactional-api/create-patient-request HTTP/1.1", "Host: localhost", fmt.Sprintf("Content-Length: %d", length)}, more...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}

func (c *client) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatalf("send: %v", err)
	}
}

// answer is the next one; its body has been read.
func (c *client) answer(t *testing.T) *httptest.ResponseRecorder {
	t.Helper()
	response, err := http.ReadResponse(c.answers, nil)
	if err != nil {
		t.Fatalf("read the answer: %v", err)
	}
	defer response.Body.Close()
	seen := httptest.NewRecorder()
	seen.Code = response.StatusCode
	maps.Copy(seen.Header(), response.Header)
	if _, err := io.Copy(seen.Body, response.Body); err != nil {
		t.Fatalf("read the answer: %v", err)
	}
	return seen
}

// wantClosed fails if there are more bytes.
func (c *client) wantClosed(t *testing.T) {
	t.Helper()
	if rest, err := io.ReadAll(c.answers); err != nil || len(rest) > 0 {
		t.Errorf("after the answer came %q, %v", rest, err)
	}
}

func TestABodyThatDripsIsCut_D19(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{caller: asApplication}
		w := serve(t, busyOneByOne(c))
		slow := w.dial(t)
		slow.send(t, head(1000))
		var dripping sync.WaitGroup
		dripping.Go(func() { // a byte a second, until the server closes the connection
			for err := error(nil); err == nil; time.Sleep(time.Second) {
				_, err = io.WriteString(slow, " ")
			}
		})
		begun := clock.Start()
		late := slow.answer(t)
		wantAnswer(t, late, http.StatusRequestTimeout, "request-timeout")
		wantErrors(t, late, "request-timeout: The body arrives too slowly: send at least 64 KiB every 10 seconds.")
		if took := begun.Elapsed(); took != 10*time.Second {
			t.Errorf("answered after %s", took)
		}
		slow.wantClosed(t)
		dripping.Wait()
		wantTaken(t, w.dial(t), c, 1)
	})
}

// oneByOne is a slot for one call at a time.
var oneByOne = httpapi.Permits{Slots: 1}

// busyOneByOne is an API that answers one call at a time.
func busyOneByOne(c *counter) *httpapi.API {
	api := c.api()
	api.Permits = oneByOne
	return api
}

// wantTaken makes a valid call, which is the nth that is accepted.
func wantTaken(t *testing.T, client *client, c *counter, n int) {
	t.Helper()
	client.send(t, head(len(cough()))+cough())
	wantAnswer(t, client.answer(t), http.StatusOK)
	if len(c.taken) != n {
		t.Errorf("%d requests are taken, want %d", len(c.taken), n)
	}
}

// A call may take a minute after its body has arrived. The body may take longer, while
// it keeps the pace.
func TestASlowUploadIsNotCut_D19(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{caller: asApplication}
		client := serve(t, c.api()).dial(t)
		body := cough(jpeg("large.jpg", httpapitest.Noise(1, 1<<20)))
		begun := clock.Start()
		client.send(t, head(len(body)))
		for len(body) > 0 {
			n := min(len(body), 64<<10)
			client.send(t, body[:n])
			body = body[n:]
			time.Sleep(9 * time.Second)
		}
		wantAnswer(t, client.answer(t), http.StatusOK)
		if took := begun.Elapsed(); took < 2*time.Minute {
			t.Errorf("the upload took %s only", took)
		}
	})
}

// The time that the database takes does not count against the client.
func TestTheClientDoesNotPayForUs_D19(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{caller: asApplication}
		api := c.api()
		api.Uploads = slowShelf{&c.Shelf}
		client := serve(t, api).dial(t)
		body := cough(jpeg("large.jpg", httpapitest.Noise(1, 1<<20)))
		go func() { _, _ = io.WriteString(client, head(len(body))+body) }()
		wantAnswer(t, client.answer(t), http.StatusOK)
	})
}

type slowShelf struct{ *httpapitest.Shelf }

func (s slowShelf) AddChunk(ctx context.Context, tenant string, id request.AttachmentID, n int, data []byte) error {
	time.Sleep(25 * time.Second)
	return s.Shelf.AddChunk(ctx, tenant, id, n, data)
}

func TestAClientThatGoesLeavesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{caller: asApplication}
		w := serve(t, busyOneByOne(c))
		client, body := w.dial(t), cough(jpeg("large.jpg", httpapitest.Noise(1, 1<<20)))
		client.send(t, head(len(body))+body[:len(body)/2])
		_ = client.Close()
		synctest.Wait()
		if len(c.Discarded) != 1 || len(c.taken) > 0 {
			t.Errorf("discarded %v, taken %v", c.Discarded, c.taken)
		}
		wantTaken(t, w.dial(t), c, 1)
	})
}

// The rest of a body that was answered early is not parsed as another call: behind a
// proxy that shares its connections, answers would be mixed up.
func TestARestIsNoCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{}
		client := serve(t, refusing(c)).dial(t)
		smuggled := head(0)
		client.send(t, head(100+len(smuggled))+strings.Repeat(" ", 100))
		wantAnswer(t, client.answer(t), http.StatusForbidden, "unauthorized")
		time.Sleep(6 * time.Second)
		_, err := io.WriteString(client, smuggled)
		if err == nil {
			t.Error("the connection is still open")
		}
		client.wantClosed(t)
	})
}

// refusing is an API that refuses every caller.
func refusing(c *counter) *httpapi.API {
	api := c.api()
	api.Recognise = refuses(fault.New(fault.Forbidden, "unauthorized", ""))
	return api
}

// newRefusing is a server of [refusing] on real connections. It has no limit for
// discarding a body: a busy machine needs time.
func newRefusing(t *testing.T) *httptest.Server {
	t.Helper()
	api := refusing(&counter{})
	api.Rest = time.Hour
	server := httptest.NewServer(api.Handler())
	t.Cleanup(server.Close)
	return server
}

// Simple clients send everything before they read.
func TestAnEarlyAnswerIsSeen_D1(t *testing.T) {
	t.Parallel()
	server := newRefusing(t)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := &client{conn, bufio.NewReader(conn)}
	for _, length := range []int{1, 10_000, 300_000, 20 << 20, 0} { // one connection serves them all
		client.send(t, head(length)+strings.Repeat(" ", length))
		wantAnswer(t, client.answer(t), http.StatusForbidden, "unauthorized")
	}
}

func TestAClientThatWaitsForOurWord_D1(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{caller: asApplication}
		body := cough()
		client := serve(t, c.api()).dial(t)
		client.send(t, head(len(body), "Expect: 100-continue"))
		if line, _ := client.answers.ReadString('\n'); line != "HTTP/1.1 100 Continue\r\n" {
			t.Fatalf("told %q", line)
		}
		_, _ = client.answers.ReadString('\n')
		client.send(t, body)
		wantAnswer(t, client.answer(t), http.StatusOK)

		begun := clock.Start()
		client = serve(t, refusing(c)).dial(t)
		client.send(t, head(50<<20, "Expect: 100-continue"))
		wantAnswer(t, client.answer(t), http.StatusForbidden, "unauthorized")
		client.wantClosed(t)
		if took := begun.Elapsed(); took > time.Second { // the server itself waits a little before it closes
			t.Errorf("closed after %s, for a body that nobody sends", took)
		}
	})
}
