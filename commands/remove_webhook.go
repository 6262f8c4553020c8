package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// RemoveWebhook tells an application of events of one kind no more (§6). What
// is queued for it is withdrawn (D28).
type RemoveWebhook struct {
	Application application.ID
	Event       application.WebhookEvent
}

// RemoveWebhookHandler handles [RemoveWebhook].
type RemoveWebhookHandler struct{ Store Store }

// Handle removes the webhook, or returns the rule that refuses it.
func (h RemoveWebhookHandler) Handle(ctx context.Context, c RemoveWebhook) error {
	err := Update(ctx, h.Store, application.StreamOf(c.Application), func(a application.Application) ([]event.Event, error) {
		return a.RemoveWebhook(c.Event)
	})
	if err != nil {
		return fmt.Errorf("remove webhook: %w", err)
	}
	return nil
}
