package admission_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"frontdesk/adapters/admission"
)

// queue is a set of waiters, and records their order.
type queue struct {
	*admission.FairQueue
	all    sync.WaitGroup
	mu     sync.Mutex
	served []string
}

// join adds a waiter whose turn ends at once.
func (q *queue) join(ctx context.Context, t *testing.T, holder string) {
	t.Helper()
	q.all.Go(func() {
		if err := q.Take(ctx, holder); err != nil {
			return
		}
		q.mu.Lock()
		q.served = append(q.served, holder)
		q.mu.Unlock()
		q.Release(holder)
	})
	synctest.Wait()
}

func TestHoldersTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{FairQueue: admission.NewFairQueue(1)}
		if err := q.Take(t.Context(), "greedy"); err != nil {
			t.Fatal(err)
		}
		for _, holder := range []string{"greedy", "greedy", "greedy", "a", "b", "a"} {
			q.join(t.Context(), t, holder)
		}
		if got := q.Waiting(); got != 6 {
			t.Errorf("%d wait, want 6", got)
		}
		q.Release("greedy")
		q.all.Wait()
		if want := []string{"a", "b", "greedy", "a", "greedy", "greedy"}; !slices.Equal(q.served, want) {
			t.Errorf("got %q, want %q", q.served, want)
		}
		if got := q.Waiting(); got != 0 {
			t.Errorf("%d wait, want none", got)
		}
	})
}

func TestNewCallersDoNotStarveWaiters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{FairQueue: admission.NewFairQueue(1)}
		if err := q.Take(t.Context(), "honest"); err != nil {
			t.Fatal(err)
		}
		for _, holder := range []string{"honest", "new 1", "new 2", "honest", "new 3", "new 4"} {
			q.join(t.Context(), t, holder)
		}
		q.Release("honest")
		q.all.Wait()
		if want := []string{"new 1", "new 2", "new 3", "new 4", "honest", "honest"}; !slices.Equal(q.served, want) {
			t.Errorf("got %q, want %q", q.served, want)
		}
	})
}

func TestLastHolderIsSkippedSevenTimes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{FairQueue: admission.NewFairQueueWithLast("last", 1)}
		if err := q.Take(t.Context(), "last"); err != nil {
			t.Fatal(err)
		}
		for _, holder := range []string{"last", "last", "last", "a"} {
			q.join(t.Context(), t, holder)
		}
		for range 16 {
			q.join(t.Context(), t, "b")
		}
		q.Release("last")
		q.all.Wait()
		eight := slices.Repeat([]string{"b"}, 8) // one in its turn, and seven that are served first
		want := slices.Concat([]string{"a"}, eight, []string{"last"}, eight, []string{"last", "last"})
		if !slices.Equal(q.served, want) {
			t.Errorf("got %q", q.served)
		}
	})
}

func TestCancelledWaiterPassesItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{FairQueue: admission.NewFairQueue(1)}
		if err := q.Take(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		impatient, giveUp := context.WithCancel(t.Context())
		q.join(impatient, t, "b")
		q.join(t.Context(), t, "c")
		giveUp()
		synctest.Wait()
		if got := q.Waiting(); got != 1 {
			t.Errorf("%d wait, want 1", got)
		}
		q.Release("a")
		q.all.Wait()
		if !slices.Equal(q.served, []string{"c"}) {
			t.Errorf("served %q", q.served)
		}
	})
}

func TestQueueNeverExceedsLimit(t *testing.T) {
	t.Parallel()
	turns := admission.NewFairQueue(3)
	var mu sync.Mutex
	var all sync.WaitGroup
	taking, most, served := 0, 0, 0
	count := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		taking += n
		most, served = max(most, taking), served+max(0, n)
	}
	for n := range 64 {
		all.Go(func() {
			holder := string(rune('a' + n%7))
			for range 100 {
				ctx, cancel := context.WithCancel(t.Context())
				go cancel() // some are cancelled at the moment they are served
				if err := turns.Take(ctx, holder); err != nil {
					if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					continue
				}
				count(1)
				count(-1)
				turns.Release(holder)
			}
		})
	}
	all.Wait()
	if most > 3 || served == 0 || turns.Waiting() != 0 {
		t.Errorf("%d at once, %d served, %d still wait", most, served, turns.Waiting())
	}
	for range 3 { // no turn was lost
		if err := turns.Take(t.Context(), "later"); err != nil {
			t.Fatal(err)
		}
	}
}
