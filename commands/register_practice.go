package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

// RegisterPractice makes a medical practice a tenant of the service.
type RegisterPractice struct {
	Tenant   string // a DNS label (D35)
	Name     string
	TimeZone string // IANA; "" means Europe/London (D23)
}

// RegisterPracticeHandler handles [RegisterPractice].
type RegisterPracticeHandler struct{ Store Store }

// Handle registers the practice, or returns the rule that refuses it.
func (h RegisterPracticeHandler) Handle(ctx context.Context, c RegisterPractice) error {
	err := Update(ctx, h.Store, practice.StreamOf(c.Tenant), func(p practice.Practice) ([]event.Event, error) {
		return p.Register(c.Tenant, c.Name, c.TimeZone)
	})
	if err != nil {
		return fmt.Errorf("register practice: %w", err)
	}
	return nil
}
