package fair

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Budget is what each spender may spend. It is refilled at a steady rate, and holds
// at most what one period refills. Each process counts by itself. A Budget is safe
// for concurrent use, and bounded in memory. A nil Budget has no bound.
type Budget[K comparable] struct {
	perSecond rate.Limit
	most      int
	window    time.Duration // in which an empty budget is filled
	now       func() time.Time

	mu       sync.Mutex
	spenders map[K]*rate.Limiter
}

// maxSpenders bounds the number of spenders in memory.
const maxSpenders = 10_000

// NewBudget gives each spender so much in each period.
func NewBudget[K comparable](amount float64, period time.Duration, now func() time.Time) *Budget[K] {
	most := max(1, int(math.Ceil(amount)))
	return &Budget[K]{
		perSecond: rate.Limit(amount / period.Seconds()), most: most, now: now,
		window:   time.Duration(float64(most) / amount * float64(period)),
		spenders: map[K]*rate.Limiter{},
	}
}

// Policy returns what a whole budget is, and how long an empty one takes to be whole again.
func (b *Budget[K]) Policy() (most int, window time.Duration) { return b.most, b.window }

// Left returns what is left of a spender's budget, and in what time it will be whole.
func (b *Budget[K]) Left(spender K) (amount int, whole time.Duration) {
	now := b.now()
	left := max(0, b.of(spender, now).TokensAt(now))
	missing := float64(b.most) - left
	return int(left), time.Duration(math.Ceil(missing / float64(b.perSecond) * float64(time.Second)))
}

// Lacks returns what [Budget.Spend] would return, and takes nothing.
func (b *Budget[K]) Lacks(spender K, amount int) (wait time.Duration) {
	if b == nil {
		return 0
	}
	now := b.now()
	missing := float64(min(amount, b.most)) - b.of(spender, now).TokensAt(now)
	return time.Duration(math.Ceil(max(0, missing) / float64(b.perSecond) * float64(time.Second)))
}

// Spend takes an amount out of the spender's budget. If there is not so much in
// it, nothing is taken, and wait says when there will be. An amount of more than a
// whole budget counts as a whole one.
func (b *Budget[K]) Spend(spender K, amount int) (wait time.Duration) {
	if b == nil {
		return 0
	}
	now := b.now()
	if b.of(spender, now).AllowN(now, min(amount, b.most)) {
		return 0
	}
	return max(1, b.Lacks(spender, amount)) // something may have been given back meanwhile
}

// Return gives back what was spent on something that is to cost nothing after all.
func (b *Budget[K]) Return(spender K, amount int) {
	if b == nil {
		return
	}
	now := b.now()
	b.of(spender, now).ReserveN(now, -min(amount, b.most)) // never more than a whole budget: the limiter cuts the rest off
}

func (b *Budget[K]) of(spender K, now time.Time) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known, ok := b.spenders[spender]; ok {
		return known
	}
	if len(b.spenders) == maxSpenders {
		b.forget(now)
	}
	fresh := rate.NewLimiter(b.perSecond, b.most)
	b.spenders[spender] = fresh
	return fresh
}

// forget drops full budgets, which are as good as new ones. If none is full, it
// drops all.
func (b *Budget[K]) forget(now time.Time) {
	for spender, left := range b.spenders {
		if left.TokensAt(now) >= float64(b.most) {
			delete(b.spenders, spender)
		}
	}
	if len(b.spenders) == maxSpenders {
		clear(b.spenders)
	}
}
