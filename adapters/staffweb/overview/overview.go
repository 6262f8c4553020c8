package overview

import (
	"embed"
	"net/http"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/parse"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "overview")

// Section is the overview.
type Section struct {
	*pagekit.Site
	Counts       projections.Overview
	Teams        projections.Teams
	Availability projections.Availability
}

// Routes returns its only route.
func (s *Section) Routes() []pagekit.Route {
	return []pagekit.Route{pagekit.NewRoute("/overview", "overview", pagekit.Methods{http.MethodGet: pagekit.Requires(staff.SeeOverview, s.overview)})}
}

// overviewPage is the work of the practice in numbers.
type overviewPage struct {
	At    string
	Types []typeRow
	Hours []hourRow
	Sites []projections.DayOfSite
	Work  []workRow
}

// typeRow is one type of request.
type typeRow struct {
	Type           request.Type
	Name           string
	New, Open      string
	Later          string // put off until a later day
	Oldest         string // how long the oldest new one has waited; "" without one
	Late           bool   // that is too long
	Received, Done int    // today
	State          string // whether patients can send them
	Paused         bool
}

// hourRow is one hour of today.
type hourRow struct {
	Hour  string
	Types []received // in the order of the types
}

// received counts the requests of an hour.
type received struct{ Received, Done int }

// overview shows the counts of today.
func (s *Section) overview(r *pagekit.Request) error {
	now := s.Now()
	from, until, _ := parse.Day(s.Today(r), r.Practice.Zone) // it is a day
	waiting, err := s.Counts.Waiting(r.Context(), r.Tenant, s.Today(r))
	if err != nil {
		return err
	}
	hours, err := s.Counts.Hours(r.Context(), r.Tenant, from)
	if err != nil {
		return err
	}
	open, err := s.Availability.Receptions(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	page := overviewPage{At: pagekit.TimeOfDay(now, r.Practice.Zone), Hours: hourRows(hours, from, r.Practice.Zone)}
	for _, w := range waiting {
		row := typeRow{Type: w.Type, Name: pagekit.RequestNames[w.Type] + "s", New: counted(w.New), Open: counted(w.Open), Later: counted(w.Later)}
		if w.Oldest != nil {
			row.Oldest, row.Late = pagekit.Waited(now.Sub(*w.Oldest)), now.Sub(*w.Oldest) >= pagekit.LateRequest
		}
		for _, h := range hours {
			if h.Type == w.Type {
				row.Received, row.Done = row.Received+h.Received, row.Done+h.Done
			}
		}
		of := open.Reception(w.Type)
		row.State, row.Paused = states[of.Availability(now).Status], of.Intake.IsPaused(now)
		page.Types = append(page.Types, row)
	}
	if page.Sites, err = s.Counts.Sites(r.Context(), r.Tenant, from, until); err != nil {
		return err
	}
	if page.Work, err = s.workOf(r); err != nil {
		return err
	}
	s.Show(r, pagekit.View{Template: templates["overview"], Status: http.StatusOK, Title: "Overview", Content: page})
	return nil
}

// workRow is a team or a member of staff who has open requests, or could.
type workRow struct {
	Name string
	Left bool // a member who has left
	Open string
}

// workOf lists the teams and the members who handle requests, and all others with open requests.
func (s *Section) workOf(r *pagekit.Request) (rows []workRow, err error) {
	all, err := s.Teams.Workloads(r.Context(), r.Tenant, s.Today(r))
	for _, w := range all {
		isTeam := w.Team != staff.TeamID{}
		if w.Open == 0 && !isTeam && (!w.Active || !w.Roles.May(staff.HandleRequests)) {
			continue
		}
		name := pagekit.Plain(w.Name)
		if isTeam {
			name += " (team)"
		}
		rows = append(rows, workRow{name, !w.Active, counted(w.Open)})
	}
	return rows, err
}

// states say whether patients can send requests.
var states = map[practice.Status]string{
	practice.TypeOpen: "Open", practice.TypeClosed: "Closed", practice.TypePaused: "Paused", practice.TypeDisabled: "Switched off",
}

// hourRows are the hours from the first to the last in which something happened.
func hourRows(counts []projections.HourOfRequests, from time.Time, zone *time.Location) (rows []hourRow) {
	if len(counts) == 0 {
		return nil
	}
	first := counts[0].Hour
	for hour := first; hour <= counts[len(counts)-1].Hour; hour++ {
		row := hourRow{Hour: from.Add(time.Duration(hour) * time.Hour).In(zone).Format("3pm")}
		for range request.Types() {
			row.Types = append(row.Types, received{})
		}
		rows = append(rows, row)
	}
	for _, c := range counts {
		for n, typ := range request.Types() {
			if typ == c.Type {
				rows[c.Hour-first].Types[n] = received{c.Received, c.Done}
			}
		}
	}
	return rows
}

// counted formats a count that ends at [projections.MostCounted].
func counted(n int) string {
	if n >= projections.MostCounted {
		return pagekit.Number(n) + " or more"
	}
	return pagekit.Number(n)
}
