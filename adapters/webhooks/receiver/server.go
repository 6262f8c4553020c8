package receiver

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Server receives webhooks by https.
type Server struct {
	listener net.Listener
	http     *http.Server
	done     chan struct{}
}

// Listen begins to receive at a loopback address, with a certificate of the
// authority. It is closed by whoever made it.
func Listen(ctx context.Context, address string, authority *Authority, handler http.Handler, now time.Time) (*Server, error) {
	certificate, err := authority.Certificate(now)
	if err != nil {
		return nil, err
	}
	plain, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for webhooks on %s (is the port taken? choose another): %w", address, err)
	}
	secure := tls.NewListener(plain, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12})
	s := &Server{plain, &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}, make(chan struct{})}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(secure) // until Close
	}()
	return s, nil
}

// URL is where the server receives.
func (s *Server) URL() string { return "https://" + s.listener.Addr().String() + "/" }

// Close stops receiving and waits until it has.
func (s *Server) Close() {
	_ = s.http.Close()
	<-s.done
}
