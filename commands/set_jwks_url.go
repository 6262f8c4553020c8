package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// SetJWKSURL says where an application's public keys are from now on. It takes
// effect at once (D8).
type SetJWKSURL struct {
	Application application.ID
	JWKSURL     string
}

// SetJWKSURLHandler handles [SetJWKSURL].
type SetJWKSURLHandler struct {
	Store    Store
	CheckURL CheckURL
}

// Handle sets the URL, or returns the rule that refuses it.
func (h SetJWKSURLHandler) Handle(ctx context.Context, c SetJWKSURL) error {
	err := h.CheckURL(c.JWKSURL)
	if err == nil {
		err = Update(ctx, h.Store, application.StreamOf(c.Application), func(a application.Application) ([]event.Event, error) {
			return a.SetJWKSURL(c.JWKSURL)
		})
	}
	if err != nil {
		return fmt.Errorf("set JWKS URL: %w", err)
	}
	return nil
}
