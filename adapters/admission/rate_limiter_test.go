package admission_test

import (
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/admission"
)

func TestBucketIsSpentAndRefilled(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	b := admission.NewRateLimiter[string](10, time.Minute, func() time.Time { return now })
	if wait := b.Spend("a", 7); wait != 0 {
		t.Errorf("7 of 10: wait %v", wait)
	}
	if wait := b.Spend("a", 4); wait != 6*time.Second {
		t.Errorf("4 of 3: wait %v, want 6s", wait)
	}
	if wait := b.Spend("b", 10); wait != 0 {
		t.Errorf("another spender waits %v", wait)
	}
	now = now.Add(6 * time.Second)
	if wait := b.Spend("a", 4); wait != 0 {
		t.Errorf("after the wait: wait another %v", wait)
	}
}

func TestLacksSpendsNothing(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	b := admission.NewRateLimiter[string](10, time.Minute, func() time.Time { return now })
	for range 3 {
		if wait := b.Lacks("a", 10); wait != 0 {
			t.Errorf("10 of 10: wait %v", wait)
		}
	}
	if wait := b.Spend("a", 9); wait != 0 {
		t.Errorf("wait %v", wait)
	}
	for range 3 {
		if wait := b.Lacks("a", 2); wait != 6*time.Second {
			t.Errorf("2 of 1: wait %v", wait)
		}
	}
	if wait := b.Spend("a", 1); wait != 0 {
		t.Errorf("the last one was spent by asking: wait %v", wait)
	}
	var none *admission.RateLimiter[string]
	if none.Spend("a", 1<<40) != 0 || none.Lacks("a", 1<<40) != 0 {
		t.Error("no limit, and yet a bound")
	}
}

func TestSpendingMoreThanSizeCountsAsSize(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	b := admission.NewRateLimiter[string](10, time.Minute, func() time.Time { return now })
	if wait := b.Spend("a", 1000); wait != 0 {
		t.Errorf("wait %v", wait)
	}
	if wait := b.Spend("a", 1); wait <= 0 {
		t.Error("something is left of a bucket that was spent")
	}
}

func TestSpendersAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	b := admission.NewRateLimiter[int](1, time.Hour, func() time.Time { return now })
	for n := range 25_000 {
		if wait := b.Spend(n, 1); wait != 0 {
			t.Fatalf("spender %d waits %v", n, wait)
		}
	}
	if got := admission.Spenders(b); got > 10_000 {
		t.Errorf("%d spenders are in memory", got)
	}
}

func TestRefundCanBeSpent(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	b := admission.NewRateLimiter[string](3, time.Hour, func() time.Time { return now })
	for n := range 10 {
		if wait := b.Spend("a", 1); wait != 0 {
			t.Fatalf("spend %d: wait %v", n, wait)
		}
		now = now.Add(time.Second)
		b.Refund("a", 1)
	}
	b.Refund("a", 3) // never over the size of a bucket
	b.Refund("a", 3)
	if wait := b.Spend("a", 3); wait != 0 {
		t.Errorf("wait %v", wait)
	}
	if wait := b.Spend("a", 1); wait != 20*time.Minute {
		t.Errorf("wait %v, want 20m: more was given back than there was", wait)
	}
}

// A request for too much does not affect others who share the bucket.
func TestOversizedRequestDoesNotRefuseOthers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	b := admission.NewRateLimiter[string](1000, time.Hour, func() time.Time { return now })
	b.Spend("a", 1)
	var greedy sync.WaitGroup
	for _, ask := range []func(string, int) time.Duration{b.Lacks, b.Spend} {
		greedy.Go(func() {
			for range 100_000 {
				if ask("a", 1000) == 0 {
					t.Error("there was a whole bucket, although one of it is always spent")
				}
			}
		})
	}
	refused := 0
	for range 100_000 {
		if b.Spend("a", 1) > 0 {
			refused++
			continue
		}
		b.Refund("a", 1)
	}
	greedy.Wait()
	if refused > 0 {
		t.Errorf("%d of 100,000 were refused, although there was enough for them", refused)
	}
	if wait := b.Spend("a", 999); wait != 0 {
		t.Errorf("what was asked for in vain has spent something: wait %v", wait)
	}
}

func TestLimiterReportsRemainder_D93(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		amount float64
		period time.Duration
		spend  int
		most   int
		window time.Duration
		left   int
		whole  time.Duration
	}{
		{500, time.Second, 1, 500, time.Second, 499, 2 * time.Millisecond},
		{50 << 30, 24 * time.Hour, 0, 50 << 30, 24 * time.Hour, 50 << 30, 0},
		{0.1, time.Second, 1, 1, 10 * time.Second, 0, 10 * time.Second}, // one call in ten seconds
		{2.5, time.Second, 3, 3, 1200 * time.Millisecond, 0, 1200 * time.Millisecond},
	} {
		b := admission.NewRateLimiter[string](c.amount, c.period, func() time.Time { return now })
		b.Spend("a", c.spend)
		b.Spend("b", 1)
		most, window := b.Policy()
		left, whole := b.Left("a")
		if most != c.most || window != c.window || left != c.left || whole != c.whole {
			t.Errorf("%v in %v after %d: %d in %v, left %d, whole in %v", c.amount, c.period, c.spend, most, window, left, whole)
		}
	}
}
