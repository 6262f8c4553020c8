package cli

import (
	"context"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/site"
)

type addSiteCmd struct {
	engineFlags `embed:""`
	Tenant      string `required:"" help:"The practice's tenant identifier."`
	Name        string `required:"" help:"The site's name."`
}

// Run carries the command out.
func (c *addSiteCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		id, err := desk.AddSite(ctx, commands.AddSite{Tenant: c.Tenant, Name: c.Name})
		return made{"siteId": id}, err
	})
}

type addRoomCmd struct {
	engineFlags `embed:""`
	Tenant      string  `required:"" help:"The practice's tenant identifier."`
	Site        site.ID `required:"" placeholder:"UUID" help:"The site's identifier."`
	Name        string  `required:"" help:"The room's name."`
}

// Run carries the command out.
func (c *addRoomCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		id, err := desk.AddRoom(ctx, commands.AddRoom{Tenant: c.Tenant, Site: c.Site, Name: c.Name})
		return made{"roomId": id}, err
	})
}
