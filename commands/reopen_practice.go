package commands

import (
	"context"
	"fmt"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

// ReopenPractice ends a closure.
type ReopenPractice struct {
	Tenant string
	From   time.Time // when the practice opens again; zero: now
}

// ReopenPracticeHandler handles [ReopenPractice].
type ReopenPracticeHandler struct {
	Store Store
	Now   Clock
}

// Handle ends the closure that covers the instant, or returns the rule that
// refuses it. Reopening from its beginning calls a planned closure off; other
// closures stay.
func (h ReopenPracticeHandler) Handle(ctx context.Context, c ReopenPractice) error {
	err := updateClosures(ctx, h.Store, c.Tenant, func(closures practice.Closures) ([]event.Event, error) {
		if c.From.IsZero() {
			return closures.Reopen(h.Now())
		}
		return closures.Reopen(c.From)
	})
	if err != nil {
		return fmt.Errorf("reopen practice: %w", err)
	}
	return nil
}
