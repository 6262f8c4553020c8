package practice

import (
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/site"
)

// SiteCommands are what can be typed about sites.
type SiteCommands struct {
	AddSite    addSiteCmd    `cmd:"" group:"day" help:"Add a place where a practice sees its patients."`
	RenameSite renameSiteCmd `cmd:"" group:"day" help:"Give a site another name."`
	AddRoom    addRoomCmd    `cmd:"" group:"day" help:"Add a room to a site."`
	RenameRoom renameRoomCmd `cmd:"" group:"day" help:"Give a room another name."`

	AddDisplay    addDisplayCmd    `cmd:"" group:"day" help:"Let a screen show who is called in at a site."`
	RemoveDisplay removeDisplayCmd `cmd:"" group:"day" help:"Show nothing on a display any more, at once."`
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
