package client

import (
	"sync"
	"time"
)

// seen are the webhooks that were received and have not expired. Above its limit, it forgets the
// oldest.
type seen struct {
	most int

	mu    sync.Mutex
	until map[string]time.Time
	order []string // oldest first
}

// first reports whether this webhook is received for the first time.
func (s *seen) first(jti string, until, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(now)
	if _, again := s.until[jti]; again {
		return false
	}
	s.until[jti], s.order = until, append(s.order, jti)
	return true
}

func (s *seen) forget(now time.Time) {
	for len(s.order) > 0 && (len(s.order) >= s.most || !now.Before(s.until[s.order[0]])) {
		delete(s.until, s.order[0])
		s.order = s.order[1:]
	}
}
