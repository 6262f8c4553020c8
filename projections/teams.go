package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// Teams keeps the teams of each practice, also those that were removed: histories name them.
type Teams struct{ DB Querier }

// Name returns the permanent name.
func (Teams) Name() string { return "teams.v1" }

// Project keeps a row for each team.
func (Teams) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case staff.TeamSet:
		do(`INSERT INTO teams (tenant, team, name, members) VALUES ($1, $2, $3, coalesce($4::uuid[], '{}'))
			ON CONFLICT (tenant, team) DO UPDATE SET name = excluded.name, members = excluded.members, changes = teams.changes + 1`,
			r.Stream.Tenant, e.Team, e.Name, e.Members)
	case staff.TeamRemoved:
		do(`UPDATE teams SET removed = true WHERE tenant = $1 AND team = $2`, r.Stream.Tenant, e.Team)
	}
}

// Team is a team of a practice.
type Team struct {
	Team    staff.TeamID
	Name    string
	Members []staff.ID // some may have left
	Changes int        // how many events have set it
}

// List lists the teams of a practice by name. The practice can have 40.
func (t Teams) List(ctx context.Context, tenant string) ([]Team, error) {
	rows, _ := t.DB.Query(ctx, `SELECT team, name, members, changes FROM teams WHERE tenant = $1 AND NOT removed ORDER BY lower(name), team LIMIT $2`, tenant, staff.MaxTeams)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Team])
	if err != nil {
		return nil, fmt.Errorf("list teams: %w", err)
	}
	return found, nil
}

// teamsOf are the teams of the tenant that follows.
const teamsOf = `SELECT team FROM teams WHERE NOT removed AND tenant = `

// Workload is a member of staff or a team, and how many requests they have.
type Workload struct {
	Member staff.ID     // zero for a team
	Team   staff.TeamID // zero for a member
	Name   string
	Roles  staff.Roles
	Active bool
	Open   int // that are not put off until a later day; counting stops at [MostCounted]
}

var workloads = fmt.Sprintf(`
WITH a AS MATERIALIZED (SELECT $1::text AS tenant, $2::date AS today)
SELECT h.staff, h.team, h.name, h.roles, h.active, %s AS open FROM a CROSS JOIN (
	(SELECT team AS holder, NULL::uuid AS staff, team, name, '{}'::text[] AS roles, true AS active FROM teams WHERE tenant = $1 AND NOT removed ORDER BY team LIMIT %d)
	UNION ALL
	(SELECT s.staff, s.staff, NULL::uuid, s.name, %s, s.active FROM staff s WHERE s.tenant = $1 ORDER BY s.active DESC, lower(s.name), s.username LIMIT %d)) h
ORDER BY h.team IS NULL, h.active DESC, lower(h.name), h.holder`, countOf(isOpen+own, due), staff.MaxTeams, RolesOfStaff, mostPeople)

// Workloads lists the teams and then the staff of a practice by name, followed by those who
// have left, with the number of requests that each has. Today is the present date at the
// practice.
func (t Teams) Workloads(ctx context.Context, tenant, today string) ([]Workload, error) {
	rows, _ := t.DB.Query(ctx, workloads, tenant, today)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (w Workload, err error) {
		var member *staff.ID
		var team *staff.TeamID
		if err = row.Scan(&member, &team, &w.Name, &w.Roles, &w.Active, &w.Open); err == nil && member != nil {
			w.Member = *member
		} else if err == nil {
			w.Team = *team
		}
		return w, err
	})
	if err != nil {
		return nil, fmt.Errorf("count the requests of each member of staff: %w", err)
	}
	return found, nil
}
