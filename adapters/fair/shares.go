package fair

import "sync"

// Shares bounds how many do something at once, and how many of them may belong to
// one holder. It never waits: whoever gets no seat is refused. A holder who is
// alone may take half of all seats. As soon as there are others, each may hold a
// third of what is free. So one greedy holder gets a quarter, each further one a
// quarter of what is left, and a newcomer still finds a seat. It is safe for
// concurrent use.
type Shares struct {
	seats int

	mu          sync.Mutex
	taken       int
	held        map[string]int // by holder; nobody with none
	full, spent int            // how often none was free, and how often the holder had a fair share
}

// NewShares makes so many seats.
func NewShares(seats int) *Shares { return &Shares{seats: seats, held: map[string]int{}} }

// Seat returns a seat for a holder. It is not taken yet.
func (s *Shares) Seat(holder string) *Seat { return &Seat{shares: s, holder: holder} }

// Seat is one of many seats. It is taken once it is needed, and can be taken again
// after it was given back. One goroutine uses it. A nil Seat can always be taken.
type Seat struct {
	shares *Shares
	holder string
	taken  bool
}

// Take takes the seat, unless it is taken already. It reports whether the seat is
// now taken: there is none for a holder who has had a fair share.
func (s *Seat) Take() bool {
	if s == nil || s.taken {
		return true
	}
	s.taken = s.shares.take(s.holder)
	return s.taken
}

// NoneFree reports whether all seats are taken, by whomever. If some are free and
// [Seat.Take] fails, the holder has had a fair share.
func (s *Seat) NoneFree() bool {
	s.shares.mu.Lock()
	defer s.shares.mu.Unlock()
	return s.shares.taken == s.shares.seats
}

// Release gives the seat back, if it was taken.
func (s *Seat) Release() {
	if s == nil || !s.taken {
		return
	}
	s.taken = false
	s.shares.release(s.holder)
}

func (s *Shares) take(holder string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.taken == s.seats:
		s.full++
		return false
	case !s.fair(s.held[holder]):
		s.spent++
		return false
	}
	s.taken++
	s.held[holder]++
	return true
}

// fair reports whether a holder of so many seats may have another one.
func (s *Shares) fair(holds int) bool {
	free, alone := s.seats-s.taken, holds == s.taken
	switch {
	case holds == 0:
		return free > 0
	case alone:
		return holds <= free
	}
	return 3*holds < free
}

// count returns how many seats are taken, and how many were refused for either reason.
func (s *Shares) count() (taken, full, spent int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken, s.full, s.spent
}

func (s *Shares) release(holder string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if s.held[holder]--; s.held[holder] == 0 {
		delete(s.held, holder)
	}
}
