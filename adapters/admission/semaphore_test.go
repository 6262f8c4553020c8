package admission_test

import (
	"fmt"
	"sync"
	"testing"

	"frontdesk/adapters/admission"
)

// fill takes permits for a holder until there is none, and returns them.
func fill(s *admission.FairSemaphore, holder string) (permits []*admission.Permit) {
	for {
		permit := s.Permit(holder)
		if !permit.Take() {
			return permits
		}
		permits = append(permits, permit)
	}
}

func TestLoneHolderGetsHalfOfPermits(t *testing.T) {
	t.Parallel()
	for permits, want := range map[int]int{1: 1, 2: 2, 3: 2, 16: 9, 1024: 513} {
		if got := len(fill(admission.NewFairSemaphore(permits), "greedy")); got != want {
			t.Errorf("of %d permits: got %d, want %d", permits, got, want)
		}
	}
}

func TestHolderGetsQuarterUnderContention(t *testing.T) {
	t.Parallel()
	s := admission.NewFairSemaphore(1000)
	if !s.Permit("honest").Take() {
		t.Fatal("the first permit was refused")
	}
	if got := len(fill(s, "greedy")); got != 250 {
		t.Errorf("got %d permits, want 250", got)
	}
}

func TestNewcomerGetsPermitAmongGreedy(t *testing.T) {
	t.Parallel()
	s := admission.NewFairSemaphore(64)
	for n := range 8 {
		fill(s, fmt.Sprintf("greedy %d", n))
		newcomer := s.Permit("honest")
		if !newcomer.Take() {
			t.Fatalf("after %d greedy holders a newcomer is refused", n+1)
		}
		newcomer.Release()
	}
}

func TestReleasedPermitIsFree(t *testing.T) {
	t.Parallel()
	s := admission.NewFairSemaphore(2)
	first, second, third := s.Permit("a"), s.Permit("b"), s.Permit("c")
	for _, permit := range []*admission.Permit{first, first, second} {
		if !permit.Take() {
			t.Fatal("two permits were not taken once each")
		}
	}
	if third.Take() {
		t.Fatal("there are three permits of two")
	}
	first.Release()
	first.Release()
	if !third.Take() || first.Take() {
		t.Error("one permit given back is not one permit to take")
	}
	var none *admission.Permit
	if !none.Take() {
		t.Error("no bound, and yet refused")
	}
	none.Release()
}

func TestNoneFreeReportsFullSemaphore(t *testing.T) {
	t.Parallel()
	s := admission.NewFairSemaphore(3)
	fill(s, "greedy")
	if refused := s.Permit("greedy"); refused.Take() || refused.NoneFree() {
		t.Error("one permit of three is free, and is not for the greedy one")
	}
	if newcomer := s.Permit("honest"); !newcomer.Take() || !newcomer.NoneFree() {
		t.Error("a newcomer takes the last one")
	}
}

func TestPermitsNeverExceedLimit(t *testing.T) {
	t.Parallel()
	s := admission.NewFairSemaphore(8)
	var mu sync.Mutex
	var all sync.WaitGroup
	taken, most := 0, 0
	for n := range 64 {
		all.Go(func() {
			for range 200 {
				permit := s.Permit(fmt.Sprint(n % 16))
				if !permit.Take() {
					continue
				}
				mu.Lock()
				taken++
				most = max(most, taken)
				taken--
				mu.Unlock()
				permit.Release()
			}
		})
	}
	all.Wait()
	if most > 8 {
		t.Errorf("%d permits were taken at once", most)
	}
	if got := len(fill(s, "later")); got != 5 {
		t.Errorf("%d permits are left to a lone holder, want 5", got)
	}
}
