package admission

import "sync"

// FairSemaphore is a semaphore with permits for concurrent work, shared among
// holders. It never waits: without a permit the work is refused. A single holder may
// take half of all permits. With other holders, each may hold a third of the free ones.
// So one greedy holder gets a quarter, each further one a quarter of the rest, and a
// newcomer still finds a permit. It is safe for concurrent use.
type FairSemaphore struct {
	permits int

	mu          sync.Mutex
	taken       int
	held        map[string]int // by holder; without zeros
	full, spent int            // refusals because none was free, and because the holder had its share
}

// NewFairSemaphore makes a semaphore with this number of permits.
func NewFairSemaphore(permits int) *FairSemaphore {
	return &FairSemaphore{permits: permits, held: map[string]int{}}
}

// Permit returns a permit for a holder. It is not taken yet.
func (s *FairSemaphore) Permit(holder string) *Permit { return &Permit{semaphore: s, holder: holder} }

// Permit is a permit of a [FairSemaphore]. It is taken when it is needed, and can be taken
// again after its release. It is not safe for concurrent use. A nil Permit can always be
// taken.
type Permit struct {
	semaphore *FairSemaphore
	holder    string
	taken     bool
}

// Take takes the permit, unless it is taken already. It reports whether the permit is
// now taken: a holder that has its share gets none.
func (p *Permit) Take() bool {
	if p == nil || p.taken {
		return true
	}
	p.taken = p.semaphore.take(p.holder)
	return p.taken
}

// NoneFree reports whether all permits are taken. If some are free and [Permit.Take]
// fails, the holder has its share.
func (p *Permit) NoneFree() bool {
	p.semaphore.mu.Lock()
	defer p.semaphore.mu.Unlock()
	return p.semaphore.taken == p.semaphore.permits
}

// Release releases the permit, if it was taken.
func (p *Permit) Release() {
	if p == nil || !p.taken {
		return
	}
	p.taken = false
	p.semaphore.release(p.holder)
}

func (s *FairSemaphore) take(holder string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.taken == s.permits:
		s.full++
		return false
	case !s.allows(s.held[holder]):
		s.spent++
		return false
	}
	s.taken++
	s.held[holder]++
	return true
}

// allows reports whether a holder of this number of permits may have another one.
func (s *FairSemaphore) allows(holds int) bool {
	free, alone := s.permits-s.taken, holds == s.taken
	switch {
	case holds == 0:
		return free > 0
	case alone:
		return holds <= free
	}
	return 3*holds < free
}

// count returns the permits taken, and the refusals for either reason.
func (s *FairSemaphore) count() (taken, full, spent int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken, s.full, s.spent
}

func (s *FairSemaphore) release(holder string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if s.held[holder]--; s.held[holder] == 0 {
		delete(s.held, holder)
	}
}
