package admission_test

import (
	"fmt"
	"sync"
	"testing"

	"frontdesk/adapters/admission"
)

// fill takes permits for a holder until there is none, and returns them.
func fill(s *admission.FairSemaphore, holder string) (seats []*admission.Permit) {
	for {
		seat := s.Permit(holder)
		if !seat.Take() {
			return seats
		}
		seats = append(seats, seat)
	}
}

func TestALoneHolderGetsHalfOfTheSeats(t *testing.T) {
	t.Parallel()
	for seats, want := range map[int]int{1: 1, 2: 2, 3: 2, 16: 9, 1024: 513} {
		if got := len(fill(admission.NewFairSemaphore(seats), "greedy")); got != want {
			t.Errorf("of %d seats: got %d, want %d", seats, got, want)
		}
	}
}

func TestAHolderGetsAQuarterWhileOthersAsk(t *testing.T) {
	t.Parallel()
	s := admission.NewFairSemaphore(1000)
	if !s.Permit("honest").Take() {
		t.Fatal("the first seat was refused")
	}
	if got := len(fill(s, "greedy")); got != 250 {
		t.Errorf("got %d seats, want 250", got)
	}
}

func TestANewcomerFindsASeatBesideEightGreedyHolders(t *testing.T) {
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

func TestSeatsComeBack(t *testing.T) {
	t.Parallel()
	s := admission.NewFairSemaphore(2)
	first, second, third := s.Permit("a"), s.Permit("b"), s.Permit("c")
	for _, seat := range []*admission.Permit{first, first, second} {
		if !seat.Take() {
			t.Fatal("two seats were not taken once each")
		}
	}
	if third.Take() {
		t.Fatal("there are three seats of two")
	}
	first.Release()
	first.Release()
	if !third.Take() || first.Take() {
		t.Error("one seat given back is not one seat to take")
	}
	var none *admission.Permit
	if !none.Take() {
		t.Error("no bound, and yet refused")
	}
	none.Release()
}

func TestItIsKnownWhetherNoneIsFree(t *testing.T) {
	t.Parallel()
	s := admission.NewFairSemaphore(3)
	fill(s, "greedy")
	if refused := s.Permit("greedy"); refused.Take() || refused.NoneFree() {
		t.Error("one seat of three is free, and is not for the greedy one")
	}
	if newcomer := s.Permit("honest"); !newcomer.Take() || !newcomer.NoneFree() {
		t.Error("a newcomer takes the last one")
	}
}

func TestNoMoreSeatsAreTakenThanThereAre(t *testing.T) {
	t.Parallel()
	s := admission.NewFairSemaphore(8)
	var mu sync.Mutex
	var all sync.WaitGroup
	taken, most := 0, 0
	for n := range 64 {
		all.Go(func() {
			for range 200 {
				seat := s.Permit(fmt.Sprint(n % 16))
				if !seat.Take() {
					continue
				}
				mu.Lock()
				taken++
				most = max(most, taken)
				taken--
				mu.Unlock()
				seat.Release()
			}
		})
	}
	all.Wait()
	if most > 8 {
		t.Errorf("%d seats were taken at once", most)
	}
	if got := len(fill(s, "later")); got != 5 {
		t.Errorf("%d seats are left to a lone holder, want 5", got)
	}
}
