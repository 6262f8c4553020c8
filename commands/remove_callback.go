package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// RemoveCallback forgets an address that staff were sent to after approval.
type RemoveCallback struct {
	Application application.ID
	Callback    string
}

// RemoveCallbackHandler handles [RemoveCallback].
type RemoveCallbackHandler struct{ Store Store }

// Handle removes the callback, or returns the rule that refuses it.
func (h RemoveCallbackHandler) Handle(ctx context.Context, c RemoveCallback) error {
	err := Update(ctx, h.Store, application.StreamOf(c.Application), func(a application.Application) ([]event.Event, error) {
		return a.RemoveCallback(c.Callback)
	})
	if err != nil {
		return fmt.Errorf("remove callback: %w", err)
	}
	return nil
}
