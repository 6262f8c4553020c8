package sandbox

import (
	"context"
	"sync/atomic"
	"time"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/background"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/postgres"
	"frontdesk/domain/patient"
)

// An obstacle affects each call about one patient: its error is the answer, or it delays the
// answer. Obstacles are for causes that are no state of a practice. They are used only here,
// and never where practices are served.
type obstacle func(context.Context) error

const (
	limitedFor = 5 * time.Second
	slowness   = 3 * time.Second
)

// obstacles returns the obstacle of each patient. now is the practice's clock.
func obstacles(s seed, now, realNow func() time.Time) func(context.Context, patient.ID) error {
	inTheWay := map[patient.ID]obstacle{
		s.Causes["rate-limited"]: limited(now, realNow),
		s.Causes["unavailable"]:  func(context.Context) error { return postgres.ErrUnavailable },
		s.Causes["flaky"]:        flaky(),
		s.Causes["slow"]:         slow,
	}
	return func(ctx context.Context, about patient.ID) error {
		if meet, ok := inTheWay[about]; ok {
			return meet(ctx)
		}
		return nil
	}
}

// limited lets one call pass and delays the others.
func limited(now, realNow func() time.Time) obstacle {
	calls := admission.NewRateLimiter[struct{}](1, limitedFor, realNow)
	return func(context.Context) error {
		if wait := calls.Spend(struct{}{}, 1); wait > 0 {
			return httpapi.ErrRateLimited.Until(now().Add(wait))
		}
		return nil
	}
}

// flaky lets every second call pass.
func flaky() obstacle {
	var met atomic.Int64
	return func(context.Context) error {
		if met.Add(1)%2 == 1 {
			return postgres.ErrUnavailable
		}
		return nil
	}
}

func slow(ctx context.Context) error {
	background.Sleep(ctx, slowness)
	return ctx.Err()
}
