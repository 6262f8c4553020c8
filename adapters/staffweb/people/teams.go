package people

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/parse"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// teamsPage is the list of teams.
type teamsPage struct {
	Done  string // the last action; "" for none
	Teams []teamRow
	Full  bool // the practice has as many as it can
}

// teamRow is a team in the list.
type teamRow struct {
	ID            staff.TeamID
	Name, Members string
	Open          int
}

// teamPage is the form of one team, or of a new one.
type teamPage struct {
	pagekit.FormErrors
	ID       string // "" for a new team
	Heading  string
	Name     pagekit.Field
	Members  []memberTick
	Open     int
	Seen     int // how many changes of the team the form has seen
	Token    string
	name     string
	ticked   []staff.ID
	wasTyped bool // name and ticked are from a form
}

// memberTick is a member of staff who may be in the team.
type memberTick struct {
	ID     staff.ID
	Name   string
	Ticked bool
}

const teamsToken = "teams"

// teamsDone are the page's texts about the last action.
var teamsDone = map[string]string{"saved": "The team has been saved.", "removed": "The team has been removed. Its requests are new again."}

var errNoTeam = pagekit.NewErrorPage(http.StatusNotFound, "We could not find that team",
	"Nothing has been changed.", "A colleague may have removed it. Go back to Teams.")

// teams shows the teams of the practice, or the form of one.
func (s *Section) teams(r *pagekit.Request) error {
	if r.Form.Has("add") || r.Form.Has("team") {
		return s.showTeam(r, http.StatusOK, teamPage{ID: r.Form.Get("team")})
	}
	all, work, err := s.teamsOf(r)
	if err != nil {
		return err
	}
	page := teamsPage{Done: teamsDone[r.Form.Get("done")], Full: len(all) >= staff.MaxTeams}
	for _, t := range all {
		row := teamRow{ID: t.Team, Name: pagekit.Plain(t.Name)}
		var names []string
		for _, w := range work {
			switch {
			case w.Team == t.Team:
				row.Open = w.Open
			case w.Active && slices.Contains(t.Members, w.Member):
				names = append(names, pagekit.Plain(w.Name))
			}
		}
		row.Members = cmp.Or(strings.Join(names, ", "), "No members")
		page.Teams = append(page.Teams, row)
	}
	s.Show(r, pagekit.View{Template: templates["teams"], Status: http.StatusOK, Title: "Teams", Content: page})
	return nil
}

// teamsOf returns the teams, and the workload of each team and member of staff.
func (s *Section) teamsOf(r *pagekit.Request) ([]projections.Team, []projections.Workload, error) {
	all, err := s.Teams.List(r.Context(), r.Tenant)
	if err != nil {
		return nil, nil, err
	}
	work, err := s.Teams.Workloads(r.Context(), r.Tenant, s.Today(r))
	return all, work, err
}

// showTeam shows the form of a team, with its typed values if there are any. Members who have
// left, or who no longer handle requests, are not on it, and leave the team when it is saved.
func (s *Section) showTeam(r *pagekit.Request, status int, page teamPage) error {
	all, work, err := s.teamsOf(r)
	if err != nil {
		return err
	}
	page.Heading, page.Token = "Add a team", r.Token(teamsToken)
	if page.ID != "" {
		n := slices.IndexFunc(all, func(t projections.Team) bool { return t.Team.String() == page.ID })
		if n < 0 {
			return errNoTeam
		}
		page.Heading, page.Seen = pagekit.Plain(all[n].Name), all[n].Changes
		if !page.wasTyped {
			page.name, page.ticked = all[n].Name, all[n].Members
		}
	}
	page.Name = pagekit.Field{ID: "name", Label: "Name", Hint: "At most 60 characters, such as GPs. It is kept for ever, so name no one.", Kind: "text", Value: page.name, Fill: "off", Fault: page.Fault("name")}
	for _, w := range work {
		switch {
		case w.Team.String() == page.ID:
			page.Open = w.Open
		case w.Team == staff.TeamID{} && w.Active && w.Roles.May(staff.HandleRequests):
			page.Members = append(page.Members, memberTick{w.Member, pagekit.Plain(w.Name), slices.Contains(page.ticked, w.Member)})
		}
	}
	s.Show(r, pagekit.View{Template: templates["team"], Status: status, Title: page.PageTitle(page.Heading), Content: page})
	return nil
}

// setTeam adds, changes or removes a team. A refused form is shown again as it was typed.
func (s *Section) setTeam(r *pagekit.Request) error {
	page := teamPage{ID: r.Form.Get("team"), name: r.FormText("name"), wasTyped: true}
	for _, member := range r.Form["member"] {
		if id, ok := parse.ID(member); ok {
			page.ticked = append(page.ticked, staff.ID{UUID: id})
		}
	}
	if !r.HasToken(teamsToken) {
		status, wrong := r.Unsent("name")
		page.FormErrors = wrong
		return s.showTeam(r, status, page)
	}
	id, _ := parse.ID(page.ID)
	done, err := "saved", s.saveTeam(r, page, id)
	if r.Form.Get("do") == "remove" {
		done = "removed"
	}
	switch {
	case err == nil:
		return r.Redirect(r.Base() + "/teams?done=" + done)
	case errors.Is(err, staff.ErrUnknownTeam):
		return errNoTeam
	case errors.Is(err, staff.ErrTeamChanged):
		page.FormErrors = pagekit.FormError("name", "Nothing has been saved: a colleague has changed this team. Your choices are still here. If you save it now, it replaces your colleague’s.")
		return s.showTeam(r, http.StatusConflict, page)
	}
	wrong, ok := pagekit.FormErrorsOf(err, "name")
	if !ok {
		return err
	}
	page.FormErrors = wrong
	return s.showTeam(r, http.StatusBadRequest, page)
}

// saveTeam gives the desk the intent of the form.
func (s *Section) saveTeam(r *pagekit.Request, page teamPage, id uuid.UUID) error {
	team := staff.TeamID{UUID: id}
	switch {
	case r.Form.Get("do") == "remove":
		return s.Desk.RemoveTeam(r.StaffContext(), commands.RemoveTeam{Tenant: r.Tenant, Team: team})
	case page.ID == "":
		_, err := s.Desk.AddTeam(r.StaffContext(), commands.AddTeam{Tenant: r.Tenant, Name: page.name, Members: page.ticked})
		return err
	}
	seen, err := strconv.Atoi(r.Form.Get("seen"))
	if err != nil || seen < 1 {
		return staff.ErrTeamChanged
	}
	return s.Desk.ChangeTeam(r.StaffContext(), commands.ChangeTeam{Tenant: r.Tenant, Team: team, Seen: seen, Name: page.name, Members: page.ticked})
}
