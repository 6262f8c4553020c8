package admission

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Budget is a token bucket for each spender. It is refilled at a steady rate, and holds
// at most the refill of one period. Each process counts separately. A Budget is safe
// for concurrent use, and bounded in memory. A nil Budget has no limit.
type Budget[K comparable] struct {
	perSecond rate.Limit
	most      int
	window    time.Duration // to fill an empty budget
	now       func() time.Time

	mu       sync.Mutex
	spenders map[K]*rate.Limiter
}

// maxSpenders limits the spenders in memory.
const maxSpenders = 10_000

// NewBudget gives each spender an amount in each period.
func NewBudget[K comparable](amount float64, period time.Duration, now func() time.Time) *Budget[K] {
	most := max(1, int(math.Ceil(amount)))
	return &Budget[K]{
		perSecond: rate.Limit(amount / period.Seconds()), most: most, now: now,
		window:   time.Duration(float64(most) / amount * float64(period)),
		spenders: map[K]*rate.Limiter{},
	}
}

// Policy returns the size of a budget, and the time to refill an empty one.
func (b *Budget[K]) Policy() (most int, window time.Duration) { return b.most, b.window }

// Left returns the rest of a spender's budget, and the time until it is full.
func (b *Budget[K]) Left(spender K) (amount int, whole time.Duration) {
	now := b.now()
	left := max(0, b.of(spender, now).TokensAt(now))
	missing := float64(b.most) - left
	return int(left), time.Duration(math.Ceil(missing / float64(b.perSecond) * float64(time.Second)))
}

// Lacks returns the result of [Budget.Spend] without spending.
func (b *Budget[K]) Lacks(spender K, amount int) (wait time.Duration) {
	if b == nil {
		return 0
	}
	now := b.now()
	missing := float64(min(amount, b.most)) - b.of(spender, now).TokensAt(now)
	return time.Duration(math.Ceil(max(0, missing) / float64(b.perSecond) * float64(time.Second)))
}

// Spend takes an amount out of the spender's budget. If there is too little, it takes
// nothing, and wait is the time until there is enough. An amount over the size of a
// budget counts as that size.
func (b *Budget[K]) Spend(spender K, amount int) (wait time.Duration) {
	if b == nil {
		return 0
	}
	now := b.now()
	if b.of(spender, now).AllowN(now, min(amount, b.most)) {
		return 0
	}
	return max(1, b.Lacks(spender, amount)) // there may have been a refund in between
}

// Return refunds an amount.
func (b *Budget[K]) Return(spender K, amount int) {
	if b == nil {
		return
	}
	now := b.now()
	b.of(spender, now).ReserveN(now, -min(amount, b.most)) // never over the size of a budget: the limiter caps it
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

// forget drops full budgets, which equal new ones. If none is full, it drops all.
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
