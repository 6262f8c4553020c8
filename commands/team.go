package commands

import (
	"context"
	"slices"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// AddTeam adds a team of staff, which can get requests.
type AddTeam struct {
	Tenant  string
	Name    string
	Members []staff.ID
}

// AddTeam refuses a member who is not active with staff.ErrUnknown.
func (d Desk) AddTeam(ctx context.Context, c AddTeam) (staff.TeamID, error) {
	if err := d.knowPractice(ctx, c.Tenant); err != nil {
		return staff.TeamID{}, err
	}
	if err := d.knowMembers(ctx, c.Tenant, c.Members, nil); err != nil {
		return staff.TeamID{}, err
	}
	id := staff.TeamID{UUID: event.NewID()}
	return id, Update(ctx, d.Store, staff.TeamStream(c.Tenant), func(t staff.Teams) ([]event.Event, error) {
		return t.Add(id, c.Name, c.Members)
	})
}

// ChangeTeam replaces the name and the members of a team.
type ChangeTeam struct {
	Tenant  string
	Team    staff.TeamID
	Seen    int // how many changes of the team the author has seen; 0 for no check
	Name    string
	Members []staff.ID
}

// ChangeTeam refuses with staff.ErrTeamChanged if the team has changed since, and a new
// member who is not active with staff.ErrUnknown.
func (d Desk) ChangeTeam(ctx context.Context, c ChangeTeam) error {
	teams, err := Load[staff.Teams](ctx, d.Store, staff.TeamStream(c.Tenant))
	if err != nil {
		return err
	}
	if err := d.knowMembers(ctx, c.Tenant, c.Members, teams.Members(c.Team)); err != nil {
		return err
	}
	return Update(ctx, d.Store, staff.TeamStream(c.Tenant), func(t staff.Teams) ([]event.Event, error) {
		return t.Change(c.Team, c.Seen, c.Name, c.Members)
	})
}

// RemoveTeam removes a team. Its requests have no holder from then on.
type RemoveTeam struct {
	Tenant string
	Team   staff.TeamID
}

// RemoveTeam changes nothing if the practice does not have the team.
func (d Desk) RemoveTeam(ctx context.Context, c RemoveTeam) error {
	return Update(ctx, d.Store, staff.TeamStream(c.Tenant), func(t staff.Teams) ([]event.Event, error) { return t.Remove(c.Team) })
}

// knowMembers refuses a member of staff who is not active, unless they were in the team
// before.
func (d Desk) knowMembers(ctx context.Context, tenant string, members, before []staff.ID) error {
	if len(members) > staff.MaxTeamMembers {
		return staff.ErrLargeTeam
	}
	for _, id := range members {
		if slices.Contains(before, id) {
			continue
		}
		if err := d.knowActive(ctx, tenant, id); err != nil {
			return err
		}
	}
	return nil
}

// knowActive refuses with staff.ErrUnknown a member of staff who may not act.
func (d Desk) knowActive(ctx context.Context, tenant string, id staff.ID) error {
	member, err := Load[staff.Member](ctx, d.Store, staff.StreamOf(tenant, id))
	if err != nil {
		return err
	}
	return member.Active()
}
