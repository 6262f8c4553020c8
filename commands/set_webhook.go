package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// SetWebhook says where an application is told of events of one kind (§6). It
// holds for the very next event.
type SetWebhook struct {
	Application application.ID
	Event       application.WebhookEvent
	URL         string
}

// SetWebhookHandler handles [SetWebhook].
type SetWebhookHandler struct {
	Store    Store
	CheckURL CheckURL
}

// Handle sets the webhook, or returns the rule that refuses it.
func (h SetWebhookHandler) Handle(ctx context.Context, c SetWebhook) error {
	err := h.CheckURL(c.URL)
	if err == nil {
		err = Update(ctx, h.Store, application.StreamOf(c.Application), func(a application.Application) ([]event.Event, error) {
			return a.SetWebhook(c.Event, c.URL)
		})
	}
	if err != nil {
		return fmt.Errorf("set webhook: %w", err)
	}
	return nil
}
