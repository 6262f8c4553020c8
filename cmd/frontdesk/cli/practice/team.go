package practice

import (
	"context"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// TeamCommands are the verbs of teams of staff, which get requests.
type TeamCommands struct {
	List   listTeamsCmd  `cmd:"" help:"List a practice's teams."`
	Add    addTeamCmd    `cmd:"" help:"Add a team of staff." detail:"Requests can be given to it. Managers of the practice do the same on a page."`
	Change changeTeamCmd `cmd:"" help:"Replace a team's name and members."`
	Remove removeTeamCmd `cmd:"" help:"Remove a team." detail:"Its requests are new again."`
}

type listTeamsCmd struct {
	listFlags `embed:""`
}

// listedTeam is a team as an operator sees it.
type listedTeam struct {
	Team    staff.TeamID `json:"teamId"`
	Name    string       `json:"name"`
	Members []staff.ID   `json:"members"`
}

func (c *listTeamsCmd) Run(r *term.Run) error {
	engine, err := c.openPractice(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	all, err := engine.Teams().List(r.Context, c.Tenant)
	if err != nil {
		return err
	}
	return term.Register[listedTeam]{
		Header: "TEAM|NAME|MEMBERS",
		Cells:  func(t listedTeam) []any { return []any{t.Team, t.Name, len(t.Members)} },
		Next: func(listedTeam) (page []listedTeam, _ error) {
			for _, t := range all {
				page = append(page, listedTeam{t.Team, t.Name, t.Members})
			}
			all = []projections.Team{} // all teams are on one page
			return page, nil
		},
	}.Write(r, c.JSON)
}

// teamFlags are the name and the members of a team.
type teamFlags struct {
	Name    string   `required:"" help:"The team's name."`
	Members []string `placeholder:"USERNAME" help:"Usernames of its members, separated by commas."`
}

// find returns the members by their usernames.
func (f teamFlags) find(ctx context.Context, desk commands.Desk, tenant string) ([]staff.ID, error) {
	var members []staff.ID
	for _, username := range f.Members {
		id, err := desk.Staff.StaffByUsername(ctx, tenant, username)
		if err != nil {
			return nil, err
		}
		members = append(members, id)
	}
	return members, nil
}

type addTeamCmd struct {
	term.PracticeFlags `embed:""`
	teamFlags          `embed:""`
}

func (c *addTeamCmd) Run(r *term.Run) error {
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		members, err := c.find(ctx, desk, c.Tenant)
		if err != nil {
			return nil, err
		}
		id, err := desk.AddTeam(ctx, commands.AddTeam{Tenant: c.Tenant, Name: c.Name, Members: members})
		return term.Made{"teamId": id}, err
	})
}

type changeTeamCmd struct {
	term.PracticeFlags `embed:""`
	Team               staff.TeamID `required:"" placeholder:"UUID" help:"The team's identifier."`
	teamFlags          `embed:""`
}

func (c *changeTeamCmd) Run(r *term.Run) error {
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		members, err := c.find(ctx, desk, c.Tenant)
		if err != nil {
			return nil, err
		}
		return nil, desk.ChangeTeam(ctx, commands.ChangeTeam{Tenant: c.Tenant, Team: c.Team, Name: c.Name, Members: members})
	})
}

type removeTeamCmd struct {
	term.PracticeFlags `embed:""`
	Team               staff.TeamID `required:"" placeholder:"UUID" help:"The team's identifier."`
	term.TakingFlags   `embed:""`
}

func (c *removeTeamCmd) Run(r *term.Run) error {
	return term.TakeAway(r, c.EngineFlags, c.TakingFlags, term.Taking[commands.RemoveTeam]{
		Tenant: c.Tenant, Follows: "The requests of the team then have no holder.",
		Intent: commands.Desk.RemoveTeam, Given: commands.RemoveTeam{Tenant: c.Tenant, Team: c.Team},
	})
}
