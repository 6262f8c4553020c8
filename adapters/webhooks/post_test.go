package webhooks_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/webhooks"
)

// Failures after which Go's client would retry by default (D29).

func TestARedirectIsNotFollowed_D32(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			c, r, elsewhere := newClinic(t), newReceiver(t), newReceiver(t)
			r.answers(func(w http.ResponseWriter, request *http.Request) { http.Redirect(w, request, elsewhere.URL, status) })
			c.application(r.URL)
			c.openRecord(t.Context(), c.patient)
			c.sendTo(r, elsewhere)
			if here, there := len(r.all()), len(elsewhere.all()); here != 1 || there != 0 {
				t.Errorf("posted %d times here and %d times elsewhere", here, there)
			}
			c.wantSummary("failed http_3xx 1")
		})
	}
}

// A reused connection that breaks during a request is the case in which a client
// assumes that a retry is safe.
func TestABrokenConnectionIsNotTriedAgain_D29(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	c.openRecord(t.Context(), c.patient)
	c.sendTo(r)
	client := webhooks.NewClient(loopback, trusted(r))
	stop := start(t, c.sender(client))
	for range 3 { // each finds a connection from the one before, and breaks it
		r.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		c.openRecord(t.Context(), c.patient)
		c.fanOut()
		c.wait(settled)
		r.answers(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		c.openRecord(t.Context(), c.patient)
		c.fanOut()
		c.wait(settled)
	}
	stop()
	if got := r.all(); len(got) != 7 {
		t.Errorf("7 deliveries were posted %d times", len(got))
	}
	if reused := c.count(`SELECT count(*) FROM deliveries WHERE status = 'failed' AND reason IN ('connection_closed', 'connection_reset')`); reused != 3 {
		t.Errorf("%s", c.summary())
	}
}

func TestHTTP2IsNotSpoken_D29(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t, func(s *httptest.Server) { s.EnableHTTP2 = true })
	var major atomic.Int32
	r.answers(func(_ http.ResponseWriter, request *http.Request) { major.Store(int32(request.ProtoMajor)) })
	c.application(r.URL)
	c.openRecord(t.Context(), c.patient)
	c.sendTo(r)
	if major.Load() != 1 {
		t.Errorf("HTTP/%d", major.Load())
	}
}

// A receiver that closes idle connections early loses nothing: we close ours sooner,
// and do not use a closed one.
func TestStaleConnectionsLoseNothing(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	client := webhooks.NewClient(loopback, trusted(r))
	open := countOpen(client)
	stop := start(t, c.sender(client))
	for range 5 {
		c.openRecord(t.Context(), c.patient)
		c.fanOut()
		r.next(t)
		c.wait(settled)
		r.CloseClientConnections() // as a keep-alive limit does
		clocktest.Eventually(t, func() bool { return open.Load() == 0 }, "the client to notice that its connections are closed")
	}
	stop()
	c.wantSummary("delivered 5")
}

// countOpen counts the connections that a client has opened and not closed.
func countOpen(client *http.Client) *atomic.Int32 {
	var open atomic.Int32
	transport := client.Transport.(*http.Transport)
	dial := transport.DialTLSContext
	transport.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		open.Add(1)
		return &countedConn{conn, sync.OnceFunc(func() { open.Add(-1) })}, nil
	}
	return &open
}

type countedConn struct {
	net.Conn
	closed func()
}

// Close closes the connection and counts it.
func (c *countedConn) Close() error {
	defer c.closed()
	return c.Conn.Close()
}

func TestAConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	r.answers(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "thank you") })
	c.application(r.URL)
	client := webhooks.NewClient(loopback, trusted(r))
	client.Transport.(*http.Transport).IdleConnTimeout = time.Hour // a busy machine needs its time
	stop := start(t, c.sender(client))
	for range 5 {
		c.openRecord(t.Context(), c.patient)
		c.fanOut()
		c.wait(settled)
	}
	stop()
	if n := r.connections(); n != 1 {
		t.Errorf("%d connections for 5 webhooks in a row", n)
	}
}

func TestALongAnswerIsNotRead_D32(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	var written atomic.Int64
	ended := make(chan struct{})
	r.answers(func(w http.ResponseWriter, _ *http.Request) {
		defer close(ended)
		for chunk := strings.Repeat("x", 64<<10); written.Load() < 1<<30; {
			n, err := io.WriteString(w, chunk)
			written.Add(int64(n))
			if err != nil {
				return
			}
		}
	})
	c.application(r.URL)
	c.openRecord(t.Context(), c.patient)
	c.sendTo(r)
	<-ended
	if written.Load() > 64<<20 {
		t.Errorf("%d bytes of an answer were taken", written.Load())
	}
	c.wantSummary("delivered 1")
}

// An answer that drips for ever costs its slot for the timeout, and no longer.
func TestASlowAnswerIsCutOff_6_3(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newPlainReceiver(t)
	r.answers(func(w http.ResponseWriter, request *http.Request) {
		for request.Context().Err() == nil {
			if _, err := io.WriteString(w, "."); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			select {
			case <-request.Context().Done():
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	c.application(r.URL)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	start(t, c.sender(plainClient(), func(s *webhooks.Sender) { s.Timeout = time.Second }))
	c.wait(settled)
	c.wantSummary("failed timeout_body 1")
}

func TestAnAnswerIsNotUnpacked(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	var accepts atomic.Value
	r.answers(func(w http.ResponseWriter, request *http.Request) {
		accepts.Store(request.Header.Get("Accept-Encoding"))
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, "no gzip at all")
	})
	c.application(r.URL)
	c.openRecord(t.Context(), c.patient)
	c.sendTo(r)
	if accepts.Load() != "" {
		t.Errorf("Accept-Encoding: %v", accepts.Load())
	}
	c.wantSummary("delivered 1")
}
