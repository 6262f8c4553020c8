package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/practice/hours"
	"frontdesk/domain/request"
)

// SetOpeningHours says when a practice takes requests of a type (D23).
type SetOpeningHours struct {
	Tenant      string
	RequestType request.Type
	Hours       []string // like "mon 08:00-12:30", in the practice's time zone; none: at all hours
}

// SetOpeningHoursHandler handles [SetOpeningHours].
type SetOpeningHoursHandler struct{ Store Store }

// Handle replaces the hours of the type, or returns the rule that refuses it.
func (h SetOpeningHoursHandler) Handle(ctx context.Context, c SetOpeningHours) error {
	week, err := hours.Parse(c.Hours)
	if err == nil {
		err = updateIntake(ctx, h.Store, c.Tenant, c.RequestType, func(i practice.Intake) ([]event.Event, error) {
			return i.SetHours(c.RequestType, week)
		})
	}
	if err != nil {
		return fmt.Errorf("set opening hours: %w", err)
	}
	return nil
}
