package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

// retryWait reports whether to retry, and how long to wait before. Every call is a GET or carries an
// Idempotency-Key, so nothing is made twice. Refusals are final: the service would refuse again.
func (c *call) retryWait(err error) (wait time.Duration, again bool) {
	if c.attempt >= c.client.options.Attempts {
		return 0, false
	}
	var unreachable *UnreachableError
	if errors.As(err, &unreachable) {
		return backoff(c.attempt), !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	var refusal *ServiceError
	if !errors.As(err, &refusal) || !refusal.passes() || refusal.RetryAfter > c.client.options.LongestWait {
		return 0, false
	}
	return refusal.RetryAfter + backoff(c.attempt), true
}

// passes reports whether a retry may succeed in a moment. While an earlier attempt is still being
// answered, the service answers that its key is in use.
func (e *ServiceError) passes() bool {
	return e.Status == http.StatusTooManyRequests || e.Status >= http.StatusInternalServerError || e.Has(CodeIdempotencyKeyInUse)
}

// backoff doubles from a quarter of a second to 8 seconds. A jitter takes it between a
// half and all of that, so that clients that failed together do not retry together.
func backoff(attempt int) time.Duration {
	longest := 250 * time.Millisecond << min(attempt-1, 5)
	return longest/2 + rand.N(longest/2)
}

// pause waits, and reports whether there is time left for another attempt.
func pause(ctx context.Context, wait time.Duration) bool {
	if deadline, has := ctx.Deadline(); has && time.Until(deadline) <= wait {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
