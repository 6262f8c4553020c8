package background

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"frontdesk/adapters/clock"
)

// Loop does a piece of work again and again: it works, logs an error as a
// warning, and waits for a wake-up or a tick.
type Loop struct {
	Every time.Duration          // longest time from the beginning of one Do to that of the next
	Pace  time.Duration          // shortest rest after each Do, so that work gathers
	Wake  func() <-chan struct{} // called before each Do, such as [Broadcast.Next]; nil if nothing wakes the loop
	Retry time.Duration          // Every after an error, when nothing wakes the loop; 0 means Every
	Do    func(ctx context.Context) error
	Fails string // the warning, such as "sweeping failed"
	Log   *slog.Logger
}

// Run works until ctx ends. It begins at once.
func (l Loop) Run(ctx context.Context) {
	for goesOn := ctx.Err() == nil; goesOn; {
		wake, every, watch := l.next(), l.Every, clock.Start()
		if err := l.Do(ctx); err != nil && ctx.Err() == nil {
			l.Log.WarnContext(ctx, l.Fails+"; retrying", slog.Any("error", err)) //nolint:sloglint // Fails is a literal of each loop
			wake, every = nil, cmp.Or(l.Retry, l.Every)
		}
		goesOn = Sleep(ctx, l.Pace) && Wait(ctx, every-watch.Elapsed(), wake)
	}
}

func (l Loop) next() <-chan struct{} {
	if l.Wake == nil {
		return nil
	}
	return l.Wake()
}

// Sleep waits for d, or until ctx ends. It reports whether ctx has not ended.
func Sleep(ctx context.Context, d time.Duration) bool { return Wait(ctx, d, nil) }

// Wait waits until wake is closed or sends, for d at most, or until ctx ends. A nil
// wake never does. It reports whether ctx has not ended.
func Wait(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-wake:
	case <-timer.C:
	}
	return ctx.Err() == nil
}
