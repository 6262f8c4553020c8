package practice

import (
	"context"

	"frontdesk/adapters/staffweb/displays"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/display"
	"frontdesk/domain/site"
)

type addDisplayCmd struct {
	term.PracticeFlags `embed:""`
	linkFlag           `embed:""`
	Site               site.ID        `required:"" placeholder:"UUID" help:"The site's identifier."`
	Name               string         `required:"" help:"The screen's name, such as its location."`
	Naming             display.Naming `default:"initials" placeholder:"NAMING" help:"How patients are shown: full-name, initials or number."`
}

// Run prints the link, which cannot be printed a second time.
func (c *addDisplayCmd) Run(r *term.Run) error {
	base, err := c.base()
	if err != nil {
		return err
	}
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		given, err := desk.AddDisplay(ctx, commands.AddDisplay{Tenant: c.Tenant, Name: c.Name, Site: c.Site, Naming: c.Naming})
		return term.Made{"displayId": given.Display, "link": base + displays.LinkPath(c.Tenant, given), "expiresAt": given.ExpiresAt}, err
	})
}

type removeDisplayCmd struct {
	term.PracticeFlags `embed:""`
	Display            display.ID `required:"" placeholder:"UUID" help:"The screen's identifier."`
}

func (c *removeDisplayCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.RemoveDisplay, commands.RemoveDisplay{Tenant: c.Tenant, Display: c.Display})
}
