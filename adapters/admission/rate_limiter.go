package admission

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// RateLimiter has a token bucket for each spender. It is refilled at a steady rate, and
// holds at most the refill of one period. Each process counts separately. A RateLimiter is
// safe for concurrent use, and bounded in memory. A nil RateLimiter has no limit.
type RateLimiter[K comparable] struct {
	perSecond rate.Limit
	most      int
	window    time.Duration // to fill an empty bucket
	now       func() time.Time

	mu       sync.Mutex
	spenders map[K]*rate.Limiter
}

// maxSpenders limits the spenders in memory.
const maxSpenders = 10_000

// NewRateLimiter gives each spender an amount in each period.
func NewRateLimiter[K comparable](amount float64, period time.Duration, now func() time.Time) *RateLimiter[K] {
	most := max(1, int(math.Ceil(amount)))
	return &RateLimiter[K]{
		perSecond: rate.Limit(amount / period.Seconds()), most: most, now: now,
		window:   time.Duration(float64(most) / amount * float64(period)),
		spenders: map[K]*rate.Limiter{},
	}
}

// Policy returns the size of a bucket, and the time to refill an empty one.
func (l *RateLimiter[K]) Policy() (most int, window time.Duration) { return l.most, l.window }

// Left returns the rest of a spender's bucket, and the time until it is full.
func (l *RateLimiter[K]) Left(spender K) (amount int, whole time.Duration) {
	now := l.now()
	left := max(0, l.bucket(spender, now).TokensAt(now))
	missing := float64(l.most) - left
	return int(left), time.Duration(math.Ceil(missing / float64(l.perSecond) * float64(time.Second)))
}

// Lacks returns the result of [RateLimiter.Spend] without spending.
func (l *RateLimiter[K]) Lacks(spender K, amount int) (wait time.Duration) {
	if l == nil {
		return 0
	}
	now := l.now()
	missing := float64(min(amount, l.most)) - l.bucket(spender, now).TokensAt(now)
	return time.Duration(math.Ceil(max(0, missing) / float64(l.perSecond) * float64(time.Second)))
}

// Spend takes an amount out of the spender's bucket. If there is too little, it takes
// nothing, and wait is the time until there is enough. An amount over the size of a
// bucket counts as that size.
func (l *RateLimiter[K]) Spend(spender K, amount int) (wait time.Duration) {
	if l == nil {
		return 0
	}
	now := l.now()
	if l.bucket(spender, now).AllowN(now, min(amount, l.most)) {
		return 0
	}
	return max(1, l.Lacks(spender, amount)) // there may have been a refund in between
}

// Refund gives an amount back.
func (l *RateLimiter[K]) Refund(spender K, amount int) {
	if l == nil {
		return
	}
	now := l.now()
	l.bucket(spender, now).ReserveN(now, -min(amount, l.most)) // never over the size of a bucket: the limiter caps it
}

func (l *RateLimiter[K]) bucket(spender K, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := l.spenders[spender]; ok {
		return known
	}
	if len(l.spenders) == maxSpenders {
		l.forget(now)
	}
	fresh := rate.NewLimiter(l.perSecond, l.most)
	l.spenders[spender] = fresh
	return fresh
}

// forget drops full buckets, which equal new ones. If none is full, it drops all.
func (l *RateLimiter[K]) forget(now time.Time) {
	for spender, left := range l.spenders {
		if left.TokensAt(now) >= float64(l.most) {
			delete(l.spenders, spender)
		}
	}
	if len(l.spenders) == maxSpenders {
		clear(l.spenders)
	}
}
