package admission

import "sync"

// Shares is a semaphore with permits ("seats") for concurrent work, shared among
// holders. It never waits: without a permit the work is refused. A single holder may
// take half of all permits. With other holders, each may hold a third of the free ones.
// So one greedy holder gets a quarter, each further one a quarter of the rest, and a
// newcomer still finds a permit. It is safe for concurrent use.
type Shares struct {
	seats int

	mu          sync.Mutex
	taken       int
	held        map[string]int // by holder; without zeros
	full, spent int            // refusals because none was free, and because the holder had its share
}

// NewShares makes a semaphore with this number of permits.
func NewShares(seats int) *Shares { return &Shares{seats: seats, held: map[string]int{}} }

// Seat returns a permit for a holder. It is not taken yet.
func (s *Shares) Seat(holder string) *Seat { return &Seat{shares: s, holder: holder} }

// Seat is a permit. It is taken when it is needed, and can be taken again after its
// release. It is not safe for concurrent use. A nil Seat can always be taken.
type Seat struct {
	shares *Shares
	holder string
	taken  bool
}

// Take takes the permit, unless it is taken already. It reports whether the permit is
// now taken: there is none for a holder that has its share.
func (s *Seat) Take() bool {
	if s == nil || s.taken {
		return true
	}
	s.taken = s.shares.take(s.holder)
	return s.taken
}

// NoneFree reports whether all permits are taken. If some are free and [Seat.Take]
// fails, the holder has its share.
func (s *Seat) NoneFree() bool {
	s.shares.mu.Lock()
	defer s.shares.mu.Unlock()
	return s.shares.taken == s.shares.seats
}

// Release releases the permit, if it was taken.
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

// fair reports whether a holder of this number of permits may have another one.
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

// count returns the permits taken, and the refusals for either reason.
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
