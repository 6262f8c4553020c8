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

// The limits that a deployment has unless it says otherwise.
const (
	DefaultInFlight = 1024        // calls served at once
	DefaultLimit    = time.Minute // for one call, after its body has arrived
)

// The limits of what all calls together hold in memory. A file that is arriving
// takes some 350 KiB, and a long text some 10 MiB.
const (
	uploadsAtOnce = 256
	textsAtOnce   = 16
)

// limited bounds the number of calls in flight and the time of each.
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

// call is what the steps of serving one call share.
type call struct {
	connection   context.Context // ends when the client has gone, and not before
	line         recordLine
	text, upload *body.Slot                    // taken once the body needs them
	after        []func(context.Context) error // done once the call is answered
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{connection: ctx}
}

// afresh returns a context of the call with the whole limit ahead of it, because
// the body may have taken long to arrive. It ends if the client goes away.
func (a *API) afresh(ctx context.Context) (context.Context, context.CancelFunc) {
	fresh, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.Limit)
	stop := context.AfterFunc(callOf(ctx).connection, cancel)
	return fresh, func() { stop(); cancel() }
}

// finish sends the answer and then does what the client need not wait for.
func (a *API) finish(w http.ResponseWriter, r *http.Request, c *call) {
	if len(c.after) == 0 {
		return
	}
	_ = http.NewResponseController(w).Flush() // an error means that the client has gone
	for _, do := range c.after {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), afterLimit)
		if err := do(ctx); err != nil {
			a.Log.WarnContext(ctx, "call was not cleared away", slog.Any("error", err))
		}
		cancel()
	}
}

// afterLimit bounds each of the things that are done after the answer.
const afterLimit = 10 * time.Second

// RateLimit bounds the calls of each application, to all tenants together. An
// application's bucket holds the calls of one second and is refilled at a steady
// rate. Each process counts by itself. A RateLimit is safe for concurrent use.
type RateLimit struct {
	perSecond rate.Limit
	burst     int
	now       func() time.Time

	mu      sync.Mutex
	buckets map[application.ID]*rate.Limiter
}

// maxBuckets bounds the number of buckets in memory.
const maxBuckets = 10_000

var errRateLimited = fault.New(fault.RateLimited, "rate-limited", "The application has made too many calls. Try again later.")

// NewRateLimit allows each application perSecond calls a second.
func NewRateLimit(perSecond float64, now func() time.Time) *RateLimit {
	return &RateLimit{
		perSecond: rate.Limit(perSecond), burst: max(1, int(math.Ceil(perSecond))), now: now,
		buckets: map[application.ID]*rate.Limiter{},
	}
}

// Allow takes a call out of the application's bucket. If the bucket is empty, the
// refusal says when it will hold one again.
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

// forget drops full buckets, which are as good as new ones. If none is full, it
// drops all.
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
