package httpapi

import (
	"context"
	"log/slog"
	"math"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
)

// What a deployment has unless it says otherwise.
const (
	DefaultInFlight = 1024        // calls served at once
	DefaultLimit    = time.Minute // for one call, after its body has arrived
)

// What all calls together may hold in memory: files that are arriving, at some
// 350 KiB each, and long texts, at some 10 MiB.
const (
	uploadsAtOnce = 256
	textsAtOnce   = 16
)

// limited bounds the calls in flight, and the time of each.
func (a *API) limited(next http.Handler) http.Handler {
	calls, uploads, texts := body.NewSlots(a.InFlight), body.NewSlots(uploadsAtOnce), body.NewSlots(textsAtOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slot := calls.Slot()
		if slot.Take() != nil {
			refuse(w, fault.List{body.ErrBusy})
			return
		}
		defer slot.Release()
		c := &call{connection: r.Context(), text: texts.Slot(), upload: uploads.Slot()}
		defer c.text.Release()
		defer c.upload.Release()
		ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), callKey{}, c), a.Limit)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
		a.finish(w, r, c)
	})
}

// call is what its parts share of one call.
type call struct {
	connection   context.Context // ends when the client has gone, and not before
	judgement    judgement
	text, upload *body.Slot // taken when the body needs them
	after        []func(context.Context) error
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{connection: ctx}
}

// afresh is the context of a call with the whole limit ahead of it: for what
// follows a body, however long that took to arrive.
func (a *API) afresh(ctx context.Context) (context.Context, context.CancelFunc) {
	fresh, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.Limit)
	stop := context.AfterFunc(callOf(ctx).connection, cancel)
	return fresh, func() { stop(); cancel() }
}

// finish does what the client need not wait for.
func (a *API) finish(w http.ResponseWriter, r *http.Request, c *call) {
	if len(c.after) == 0 {
		return
	}
	_ = http.NewResponseController(w).Flush() // an error means that nobody waits
	for _, do := range c.after {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), afterLimit)
		if err := do(ctx); err != nil {
			a.Log.WarnContext(ctx, "call was not cleared away", slog.Any("error", err))
		}
		cancel()
	}
}

// afterLimit bounds each of the things that wait until a call is answered.
const afterLimit = 10 * time.Second

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
