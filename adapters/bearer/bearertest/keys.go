package bearertest

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
)

// Key returns an RSA key of 2048 bits. It is the same key throughout a process, because
// generating one takes longer than most tests.
func Key() *rsa.PrivateKey { return key() }

// StrangersKey returns another key, which is in no key set of the tests.
func StrangersKey() *rsa.PrivateKey { return strangersKey() }

var (
	key          = sync.OnceValue(newKey)
	strangersKey = sync.OnceValue(newKey)
)

func newKey() *rsa.PrivateKey {
	made, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // the system has no random numbers
	}
	return made
}

// JWK returns the public key as a member of a key set (RFC 7517). A test may change it.
func JWK(kid string, public *rsa.PublicKey) map[string]any {
	return map[string]any{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid,
		"n": encode(public.N.Bytes()),
		"e": encode(big.NewInt(int64(public.E)).Bytes()),
	}
}

// KeySet returns a JWK set of keys, each of which is a value that encodes as JSON.
func KeySet(keys ...any) []byte {
	return mustMarshal(map[string]any{"keys": append([]any{}, keys...)})
}

// Server serves a key set by plain HTTP on loopback. The test that made it closes
// it.
type Server struct {
	*httptest.Server // its URL is the JWKS URL, with a path that no other server has
	fetches          atomic.Int64
	handler          atomic.Pointer[http.HandlerFunc]
}

// NewServer serves a document, usually a key set.
func NewServer(document []byte) *Server {
	s, path, mux := &Server{}, "/"+rand.Text(), http.NewServeMux()
	s.Publish(document)
	mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		s.fetches.Add(1)
		(*s.handler.Load())(w, r)
	})
	s.Server = httptest.NewServer(mux)
	s.URL += path
	return s
}

// Fetches returns the number of requests for the key set so far.
func (s *Server) Fetches() int { return int(s.fetches.Load()) }

// Publish serves another document from now on.
func (s *Server) Publish(document []byte) {
	s.Answer(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/jwk-set+json")
		_, _ = w.Write(document)
	})
}

// Fail answers every request with a status from now on.
func (s *Server) Fail(status int) {
	s.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}

// Answer lets a handler answer every request from now on.
func (s *Server) Answer(handler http.HandlerFunc) { s.handler.Store(&handler) }

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func mustMarshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // a test passed a value that JSON cannot express
	}
	return data
}
