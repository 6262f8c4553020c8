package bearer_test

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"

	"frontdesk/adapters/outbound"
)

// pipeTo is a transport to a server without a network, so that both live on
// the clock of the test's bubble.
func pipeTo(t *testing.T, handler http.Handler) *http.Transport {
	listener := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: handler}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() {
		_ = server.Close()
		serving.Wait()
	})
	transport := outbound.NewTransport(outbound.Guard{}, nil)
	transport.DialContext = listener.dial
	return transport
}

// pipeListener accepts the connections of its dial.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	close  sync.Once
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.IPAddr{} }
