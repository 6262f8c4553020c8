package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// AddCallback registers another address that staff may be sent to after
// approval (D25).
type AddCallback struct {
	Application application.ID
	Callback    string
}

// AddCallbackHandler handles [AddCallback].
type AddCallbackHandler struct{ Store Store }

// Handle adds the callback, or returns the rule that refuses it.
func (h AddCallbackHandler) Handle(ctx context.Context, c AddCallback) error {
	err := Update(ctx, h.Store, application.StreamOf(c.Application), func(a application.Application) ([]event.Event, error) {
		return a.AddCallback(c.Callback)
	})
	if err != nil {
		return fmt.Errorf("add callback: %w", err)
	}
	return nil
}
