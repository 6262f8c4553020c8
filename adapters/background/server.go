package background

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Server answers HTTP requests until it is closed.
type Server struct {
	listener    net.Listener
	http        *http.Server
	endRequests context.CancelFunc
	done        chan struct{}
	err         error // the error that ended it; nil if it was closed
}

// Serve starts to serve on a listener, which the server closes.
func Serve(listener net.Listener, server *http.Server) *Server {
	requests, end := context.WithCancel(context.Background())
	server.BaseContext = func(net.Listener) context.Context { return requests }
	s := &Server{listener: listener, http: server, endRequests: end, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.err = err
		}
	}()
	return s
}

// Address returns the host and the port of the listener.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Wait waits until ctx ends, and closes the server. It returns an error if the
// server has failed before.
func (s *Server) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-s.done:
	}
	s.Close()
	return s.err
}

// Close cancels all requests, and waits until the server has stopped.
func (s *Server) Close() { s.Stop(0) }

// Stop ends the contexts of all requests, gives them a time limit to finish, and
// cancels the others.
func (s *Server) Stop(within time.Duration) {
	s.endRequests()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if within <= 0 || s.http.Shutdown(ctx) != nil {
		_ = s.http.Close()
	}
	<-s.done
}
