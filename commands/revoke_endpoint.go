package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// RevokeEndpoint takes back one endpoint in one mode (§5.6). It holds for the
// very next call (D15).
type RevokeEndpoint struct {
	Application application.ID
	Grant       application.Grant
}

// RevokeEndpointHandler handles [RevokeEndpoint].
type RevokeEndpointHandler struct{ Store Store }

// Handle revokes the grant, or returns the rule that refuses it.
func (h RevokeEndpointHandler) Handle(ctx context.Context, c RevokeEndpoint) error {
	err := Update(ctx, h.Store, application.StreamOf(c.Application), func(a application.Application) ([]event.Event, error) {
		return a.RevokeEndpoint(c.Grant)
	})
	if err != nil {
		return fmt.Errorf("revoke endpoint: %w", err)
	}
	return nil
}
