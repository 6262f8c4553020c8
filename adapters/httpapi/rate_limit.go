package httpapi

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"frontdesk/domain/application"
	"frontdesk/domain/fault"
)

// RateLimit bounds the calls of each application, whatever tenant they are
// for: a bucket holds the calls of one second and fills again while it is used
// (D19). It counts the calls of this process alone, and is safe for concurrent
// use.
type RateLimit struct {
	perSecond rate.Limit
	burst     int
	now       func() time.Time

	mu      sync.Mutex
	buckets map[application.ID]*rate.Limiter
}

// maxBuckets bounds the applications that are kept in mind.
const maxBuckets = 10_000

var errRateLimited = fault.New(fault.RateLimited, "rate-limited", "The application has made too many calls. Try again later.")

// NewRateLimit allows each application so many calls a second.
func NewRateLimit(perSecond float64, now func() time.Time) *RateLimit {
	return &RateLimit{
		perSecond: rate.Limit(perSecond), burst: max(1, int(math.Ceil(perSecond))), now: now,
		buckets: map[application.ID]*rate.Limiter{},
	}
}

// Allow takes a call out of the application's bucket. The refusal of an empty
// one says when there will be another.
func (l *RateLimit) Allow(id application.ID) error {
	now := l.now()
	reservation := l.bucket(id, now).ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	reservation.CancelAt(now)
	return errRateLimited.Until(now.Add(wait))
}

func (l *RateLimit) bucket(id application.ID, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if bucket, ok := l.buckets[id]; ok {
		return bucket
	}
	if len(l.buckets) == maxBuckets {
		l.forget(now)
	}
	bucket := rate.NewLimiter(l.perSecond, l.burst)
	l.buckets[id] = bucket
	return bucket
}

// forget drops full buckets, which are as good as new ones; all of them, when
// none is full.
func (l *RateLimit) forget(now time.Time) {
	for id, bucket := range l.buckets {
		if bucket.TokensAt(now) >= float64(l.burst) {
			delete(l.buckets, id)
		}
	}
	if len(l.buckets) == maxBuckets {
		clear(l.buckets)
	}
}
