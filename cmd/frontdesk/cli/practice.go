package cli

import (
	"context"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/application"
)

type registerPracticeCmd struct {
	engineFlags `embed:""`
	Tenant      string `required:"" help:"The practice's tenant identifier."`
	Name        string `required:"" help:"The practice's name."`
	TimeZone    string `default:"Europe/London" help:"Its IANA time zone."`
}

// Run carries the command out.
func (c *registerPracticeCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return made{"tenantId": c.Tenant}, desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: c.Tenant, Name: c.Name, TimeZone: c.TimeZone})
	})
}

type enableApplicationCmd struct {
	engineFlags `embed:""`
	Tenant      string         `required:"" help:"The practice's tenant identifier."`
	Application application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
}

// Run carries the command out.
func (c *enableApplicationCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.EnableApplication(ctx, commands.EnableApplication{Tenant: c.Tenant, Application: c.Application})
	})
}

type disableApplicationCmd struct {
	engineFlags `embed:""`
	Tenant      string         `required:"" help:"The practice's tenant identifier."`
	Application application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
}

// Run carries the command out.
func (c *disableApplicationCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.DisableApplication(ctx, commands.DisableApplication{Tenant: c.Tenant, Application: c.Application})
	})
}
