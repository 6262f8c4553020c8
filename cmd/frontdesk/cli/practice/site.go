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

// SiteCommands are the verbs of sites, their rooms and their waiting room screens.
type SiteCommands struct {
	Add           addSiteCmd       `cmd:"" help:"Add a site to a practice." detail:"A site is a place where the practice sees its patients."`
	Rename        renameSiteCmd    `cmd:"" help:"Rename a site."`
	AddRoom       addRoomCmd       `cmd:"" help:"Add a room to a site."`
	RenameRoom    renameRoomCmd    `cmd:"" help:"Rename a room."`
	AddDisplay    addDisplayCmd    `cmd:"" help:"Add a waiting room screen to a site." detail:"It shows the patients who are called in at the site."`
	RemoveDisplay removeDisplayCmd `cmd:"" help:"Remove a waiting room screen." detail:"It shows nothing from now on."`
}

type addSiteCmd struct {
	term.PracticeFlags `embed:""`
	Name               string `required:"" help:"The site's name."`
}

func (c *addSiteCmd) Run(r *term.Run) error {
	return term.Create(r, c.PracticeFlags, "siteId", commands.Desk.AddSite, commands.AddSite{Tenant: c.Tenant, Name: c.Name})
}

type renameSiteCmd struct {
	term.PracticeFlags `embed:""`
	Site               site.ID `required:"" placeholder:"UUID" help:"The site's identifier."`
	Name               string  `required:"" help:"The site's new name."`
}

func (c *renameSiteCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.RenameSite, commands.RenameSite{Tenant: c.Tenant, Site: c.Site, Name: c.Name})
}

type addRoomCmd struct {
	term.PracticeFlags `embed:""`
	Site               site.ID `required:"" placeholder:"UUID" help:"The site's identifier."`
	Name               string  `required:"" help:"The room's name."`
}

func (c *addRoomCmd) Run(r *term.Run) error {
	return term.Create(r, c.PracticeFlags, "roomId", commands.Desk.AddRoom, commands.AddRoom{Tenant: c.Tenant, Site: c.Site, Name: c.Name})
}

type renameRoomCmd struct {
	term.PracticeFlags `embed:""`
	Room               site.RoomID `required:"" placeholder:"UUID" help:"The room's identifier."`
	Name               string      `required:"" help:"The room's new name."`
}

func (c *renameRoomCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.RenameRoom, commands.RenameRoom{Tenant: c.Tenant, Room: c.Room, Name: c.Name})
}

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
	term.TakingFlags   `embed:""`
}

func (c *removeDisplayCmd) Run(r *term.Run) error {
	return term.TakeAway(r, c.EngineFlags, c.TakingFlags, term.Taking[commands.RemoveDisplay]{
		Tenant: c.Tenant, Follows: "The screen shows no call-ins any longer.",
		Intent: commands.Desk.RemoveDisplay, Given: commands.RemoveDisplay{Tenant: c.Tenant, Display: c.Display},
	})
}
