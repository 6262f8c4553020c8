package cli

import (
	"context"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/application"
)

type grantEndpointCmd struct {
	engineFlags `embed:""`
	Application application.ID       `required:"" placeholder:"UUID" help:"The application's identifier."`
	Endpoint    application.Endpoint `required:"" help:"The endpoint, such as create-patient-request."`
	Mode        application.Mode     `required:"" help:"application-restricted or user-restricted."`
}

// Run carries the command out.
func (c *grantEndpointCmd) Run(r *run) error {
	return c.do(r, app.Config{}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.GrantEndpoint(ctx, commands.GrantEndpoint{
			Application: c.Application, Grant: application.Grant{Endpoint: c.Endpoint, Mode: c.Mode},
		})
	})
}

type revokeEndpointCmd struct {
	engineFlags `embed:""`
	Application application.ID       `required:"" placeholder:"UUID" help:"The application's identifier."`
	Endpoint    application.Endpoint `required:"" help:"The endpoint, such as create-patient-request."`
	Mode        application.Mode     `required:"" help:"application-restricted or user-restricted."`
}

// Run carries the command out.
func (c *revokeEndpointCmd) Run(r *run) error {
	return c.do(r, app.Config{}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.RevokeEndpoint(ctx, commands.RevokeEndpoint{
			Application: c.Application, Grant: application.Grant{Endpoint: c.Endpoint, Mode: c.Mode},
		})
	})
}
