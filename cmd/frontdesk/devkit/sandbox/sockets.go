package sandbox

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// sockets keeps the listeners of the sandbox open across changes of service. A client that
// connects between two services waits for the next one.
type sockets struct {
	mu   sync.Mutex
	kept map[string]*net.TCPListener // by address
}

// claim listens on an address, and returns it with its port.
func (s *sockets) claim(ctx context.Context, address string) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return "", fmt.Errorf("listen on %s (is the port taken? choose another with --listen): %w", address, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string]*net.TCPListener{}
	}
	claimed := listener.Addr().String()
	s.kept[claimed] = listener.(*net.TCPListener)
	return claimed, nil
}

// listen returns a listener on an address that was claimed. Closing it leaves the address
// claimed.
func (s *sockets) listen(_ context.Context, _, address string) (net.Listener, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.kept[address]
	if !ok {
		return nil, fmt.Errorf("%s is not the sandbox's", address)
	}
	file, err := kept.File()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return net.FileListener(file)
}

// close gives the addresses up.
func (s *sockets) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, listener := range s.kept {
		_ = listener.Close()
	}
}
