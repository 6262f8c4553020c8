package commands

import (
	"context"
	"fmt"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

// ClosePractice stops a practice from taking requests of any type (D23).
type ClosePractice struct {
	Tenant string
	From   time.Time // zero: now
	Until  time.Time // exclusive; zero: until it is reopened
}

// ClosePracticeHandler handles [ClosePractice].
type ClosePracticeHandler struct {
	Store Store
	Now   Clock
}

// Handle closes the practice, or returns the rule that refuses it. Closures
// add up: another one takes none back.
func (h ClosePracticeHandler) Handle(ctx context.Context, c ClosePractice) error {
	err := updateClosures(ctx, h.Store, c.Tenant, func(closures practice.Closures) ([]event.Event, error) {
		return closures.Close(c.From, c.Until, h.Now())
	})
	if err != nil {
		return fmt.Errorf("close practice: %w", err)
	}
	return nil
}

// updateClosures changes when a practice is closed. It refuses unless there is
// one.
func updateClosures(ctx context.Context, store Store, tenant string,
	decide func(practice.Closures) ([]event.Event, error),
) error {
	err := knowPractice(ctx, store, tenant)
	if err == nil {
		err = Update(ctx, store, practice.ClosuresStream(tenant), decide)
	}
	return err
}
