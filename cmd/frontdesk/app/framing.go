package app

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
)

// framingListener accepts connections that refuse a request whose end two readers could
// interpret differently (D50). net/http accepts such a request, and hides from the handler
// that it had both a Content-Length and a Transfer-Encoding. A proxy that goes by the other
// header would treat the rest of its body as the next caller's request.
type framingListener struct {
	net.Listener
	server *server
}

// Accept returns the next connection.
func (l framingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &framedConn{Conn: conn, server: l.server}, nil
}

// framedConn parses the same bytes as net/http. It spoils an ambiguous request while it
// passes, so that net/http refuses it and closes the connection. [framedConn.Write] puts the
// answer of net/http into the form of the contract.
//
// It follows a connection from head to head. It does not follow chunked bodies, so such a
// request is the last one of its connection.
//
// It also detects clients that pipeline far ahead of the answers, which no browser and no
// proxy does. Heads are cheap compared with answers, so a thousand unread ones would keep
// the process busy.
type framedConn struct {
	net.Conn
	server   *server
	follower follower
	lost     atomic.Bool  // the rest of the connection is not followed
	asked    atomic.Int64 // heads that have come

	answering atomic.Bool // from when a handler is called until its whole answer is written
	refused   bool        // a request that could not be read was answered: nothing follows

	begun int64 // requests that are answered or being answered
	ahead int64 // requests that had come too early, each as often as one before it began
}

// mostAhead allows clients to pipeline a few requests. They repeat those that the end of a
// connection has left unanswered.
const mostAhead = 8

// Read reads on.
func (c *framedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.asked.Add(c.follower.follow(p[:n]))
	if c.follower.at == lost {
		c.lost.Store(true)
	}
	return n, err
}

// begins notes that a request is about to be answered, and reports whether it is the
// last one of the connection.
func (c *framedConn) begins() (last bool) {
	c.answering.Store(true)
	c.begun++
	c.ahead += c.asked.Load() - c.begun
	return c.lost.Load() || c.ahead > mostAhead
}

type connKey struct{}

// withConn lets [closing] find the connection of a call.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// closing closes a connection with the answer to its last request.
func closing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(connKey{}).(*framedConn); ok && conn.begins() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// asWritten routes by the path as it was written. No route has an escape, so an escaped
// separator separates nothing and matches no route, whatever a proxy in front has made of it
// (D50).
func asWritten(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if written := r.URL.EscapedPath(); written != r.URL.Path {
			r = r.WithContext(r.Context())
			address := *r.URL
			address.Path, address.RawPath = written, ""
			r.URL = &address
		}
		next.ServeHTTP(w, r)
	})
}
