package conformance

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"frontdesk/adapters/background"
)

// Service publishes keys as the service does. A receiver that is tried out takes its keys
// from here.
type Service struct {
	http *background.Server

	mu      sync.Mutex
	keys    []signingKey // published; the last one signs
	offered []signingKey // published elsewhere, and not trusted
	fetches int
	down    bool
}

// signingKey is a key with the name that it is published under.
type signingKey struct {
	kid string
	key *rsa.PrivateKey
}

// keySetPath is where receivers find the keys (§4.3).
const keySetPath = "/transactional-api/jwks"

// elsewherePath serves keys that no receiver is configured to trust.
const elsewherePath = "/elsewhere"

// NewService publishes a first key at a loopback address. The caller closes it.
func NewService(ctx context.Context, address string) (*Service, error) {
	s := &Service{}
	if err := s.rotate(); err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("publish keys at %s (is the port taken? choose another): %w", address, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+keySetPath, s.publish)
	mux.HandleFunc("GET "+elsewherePath, func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		write(w, s.offered)
	})
	s.http = background.Serve(listener, &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second})
	return s, nil
}

// KeySetURL is where a receiver has to take its keys from.
func (s *Service) KeySetURL() string { return "http://" + s.http.Address() + keySetPath }

// Close stops publishing.
func (s *Service) Close() { s.http.Close() }

func (s *Service) publish(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetches++
	if s.down {
		http.Error(w, "The key set cannot be had at the moment.", http.StatusServiceUnavailable)
		return
	}
	write(w, s.keys)
}

// offer publishes a key elsewhere, and returns the address.
func (s *Service) offer(k signingKey) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offered = append(s.offered, k)
	return "http://" + s.http.Address() + elsewherePath
}

func write(w http.ResponseWriter, keys []signingKey) {
	var set jose.JSONWebKeySet
	for _, k := range keys {
		set.Keys = append(set.Keys, k.asJWK())
	}
	w.Header().Set("Content-Type", "application/jwk-set+json")
	_ = json.NewEncoder(w).Encode(set) // an error means that the receiver has gone
}

// rotate publishes a further key, which signs from now on.
func (s *Service) rotate() error {
	key, err := newKey()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = append(s.keys, key)
	return nil
}

// active is the key that signs.
func (s *Service) active() signingKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[len(s.keys)-1]
}

// asked returns how often the keys were asked for.
func (s *Service) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fetches
}

// setDown stops or goes on giving out the keys.
func (s *Service) setDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

const keyBits = 2048

func newKey() (signingKey, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return signingKey{}, errors.Join(errors.New("make a key"), err)
	}
	return signingKey{"conformance-" + rand.Text()[:8], key}, nil
}
