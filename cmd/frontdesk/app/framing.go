package app

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
)

// framingListener accepts connections that refuse a request of which two readers could
// disagree where it ends. net/http takes such a request, and hides from the handler that
// it had a Content-Length beside its Transfer-Encoding. A proxy that goes by the other
// one would take the rest of its body for the next caller's request.
type framingListener struct{ net.Listener }

// Accept returns the next connection.
func (l framingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &framedConn{Conn: conn}, nil
}

// framedConn reads along with net/http. It spoils an ambiguous request while it passes,
// so that net/http itself answers 400 and closes the connection.
//
// It follows a connection from head to head. It does not follow chunked bodies, so such
// a request is the last one of its connection.
type framedConn struct {
	net.Conn
	follower follower
	lost     atomic.Bool // the rest of the connection is not followed
}

// Read reads on.
func (c *framedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.follower.follow(p[:n])
	if c.follower.at == lost {
		c.lost.Store(true)
	}
	return n, err
}

type connKey struct{}

// withConn lets [lastIfLost] find the connection of a call.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// lastIfLost closes a connection that is not followed any more once the call is
// answered.
func lastIfLost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(connKey{}).(*framedConn); ok && conn.lost.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// follower finds the heads of requests in a stream. It goes by the lines as net/http
// does: a line ends with LF, and an empty line, with or without CR, ends the head.
type follower struct {
	at     spot
	name   [len("transfer-encoding") + 1]byte // what is known of this header's name, in lower case
	named  int
	framed bool  // a header of this request has said where its body ends
	digits int   // of the Content-Length
	left   int64 // of the body
}

// spot is where in a request the follower is.
type spot int

const (
	beforeRequest spot = iota // or in an empty line, which some clients send after a body
	inRequestLine
	beforeHeader
	inEmptyLine
	inName
	inValue
	beforeLength
	inLength
	behindLength
	inBody
	lost
)

// maxDigits is how long a Content-Length may be.
const maxDigits = 18

// follow reads along, and spoils p where it is ambiguous. It looks once at each byte of
// a head, and at none of a body.
func (f *follower) follow(p []byte) {
	for i := 0; i < len(p) && f.at != lost; i++ {
		if f.at == inBody {
			skipped := min(f.left, int64(len(p)-i))
			f.left -= skipped
			i += int(skipped) - 1
			f.endOfBody()
			continue
		}
		if f.at = f.next(p[i]); f.at == inBody {
			f.endOfBody()
		}
		if f.at == spoilt {
			p[i] = 0 // no name and no length may hold it, so net/http refuses the request
			f.at = lost
		}
	}
}

// spoilt is no spot: what stands there must not be taken.
const spoilt spot = -1

func (f *follower) endOfBody() {
	if f.left == 0 {
		*f = follower{}
	}
}

// next returns where the follower is after one more byte of a head.
func (f *follower) next(b byte) spot {
	switch f.at {
	case beforeRequest, inRequestLine:
		return f.inFirstLine(b)
	case beforeHeader:
		return f.inFirstByte(b)
	case inEmptyLine:
		if b == '\n' {
			return f.endOfHead()
		}
		return spoilt
	case inName:
		return f.inName(b)
	case beforeLength, inLength, behindLength:
		return f.inLength(b)
	}
	if b == '\n' {
		return beforeHeader
	}
	return f.at
}

func (f *follower) inFirstLine(b byte) spot {
	switch {
	case b != '\n' && b != '\r':
		return inRequestLine
	case b == '\n' && f.at == inRequestLine:
		return beforeHeader
	}
	return f.at
}

// inFirstByte also refuses a header that goes on in the next line, as RFC 9112 asks for
// in 5.2: readers disagree about whose line that is.
func (f *follower) inFirstByte(b byte) spot {
	f.named = 0
	switch b {
	case '\n':
		return f.endOfHead()
	case '\r':
		return inEmptyLine
	case ' ', '\t':
		return spoilt
	}
	return f.inName(b)
}

func (f *follower) inName(b byte) spot {
	switch {
	case b == '\n':
		return beforeHeader // without a colon it is no header, and net/http says so
	case b == ':':
		return f.endOfName()
	case f.named < len(f.name):
		f.name[f.named] = b
		f.named++
	}
	return inName
}

// endOfName refuses the second header that says where the body ends, be it the same one
// or the other.
func (f *follower) endOfName() spot {
	name := strings.ToLower(string(f.name[:f.named]))
	length, encoding := name == "content-length", name == "transfer-encoding"
	if !length && !encoding {
		return inValue
	}
	if f.framed {
		return spoilt
	}
	f.framed = true
	if encoding {
		f.left = -1 // nobody knows
		return inValue
	}
	return beforeLength
}

func (f *follower) inLength(b byte) spot {
	blank := b == ' ' || b == '\t' || b == '\r'
	switch {
	case b == '\n':
		return beforeHeader
	case blank && f.at == beforeLength:
		return beforeLength
	case blank:
		return behindLength
	case b < '0' || b > '9' || f.at == behindLength || f.digits == maxDigits:
		return spoilt
	}
	f.left = f.left*10 + int64(b-'0')
	f.digits++
	return inLength
}

func (f *follower) endOfHead() spot {
	if f.left < 0 {
		return lost
	}
	return inBody
}
