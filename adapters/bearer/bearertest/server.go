package bearertest

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
)

// Server serves a key set by plain HTTP on loopback. It is closed by whoever
// made it.
type Server struct {
	*httptest.Server // its URL is the JWKS URL
	fetches          atomic.Int64
	handler          atomic.Pointer[http.HandlerFunc]
}

// NewServer serves document.
func NewServer(document []byte) *Server {
	s := &Server{}
	s.Publish(document)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fetches.Add(1)
		(*s.handler.Load())(w, r)
	}))
	return s
}

// Fetches is the number of requests so far.
func (s *Server) Fetches() int { return int(s.fetches.Load()) }

// Publish serves document from now on.
func (s *Server) Publish(document []byte) {
	s.Answer(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/jwk-set+json")
		_, _ = w.Write(document)
	})
}

// Fail answers with status from now on, until told otherwise.
func (s *Server) Fail(status int) {
	s.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}

// Answer answers with handler from now on.
func (s *Server) Answer(handler http.HandlerFunc) { s.handler.Store(&handler) }
