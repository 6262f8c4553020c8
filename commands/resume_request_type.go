package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// ResumeRequestType ends a pause (D23).
type ResumeRequestType struct {
	Tenant      string
	RequestType request.Type
}

// ResumeRequestTypeHandler handles [ResumeRequestType].
type ResumeRequestTypeHandler struct {
	Store Store
	Now   Clock
}

// Handle resumes the type, or returns the rule that refuses it.
func (h ResumeRequestTypeHandler) Handle(ctx context.Context, c ResumeRequestType) error {
	err := updateIntake(ctx, h.Store, c.Tenant, c.RequestType, func(i practice.Intake) ([]event.Event, error) {
		return i.Resume(c.RequestType, h.Now())
	})
	if err != nil {
		return fmt.Errorf("resume request type: %w", err)
	}
	return nil
}
