package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// GrantEndpoint lets an application call one endpoint in one mode (§5.6).
type GrantEndpoint struct {
	Application application.ID
	Grant       application.Grant
}

// GrantEndpointHandler handles [GrantEndpoint].
type GrantEndpointHandler struct{ Store Store }

// Handle grants the endpoint, or returns the rule that refuses it.
func (h GrantEndpointHandler) Handle(ctx context.Context, c GrantEndpoint) error {
	err := Update(ctx, h.Store, application.StreamOf(c.Application), func(a application.Application) ([]event.Event, error) {
		return a.GrantEndpoint(c.Grant)
	})
	if err != nil {
		return fmt.Errorf("grant endpoint: %w", err)
	}
	return nil
}
