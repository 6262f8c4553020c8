package practice

import (
	"net/url"
	"time"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/domain/audit"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/directory"
)

type listStaffCmd struct {
	term.DatabaseFlag `embed:""`
	term.ShowingFlags `embed:""`
	Tenant            string `required:"" help:"The practice's tenant identifier."`
	JSON              bool   `name:"json" help:"Print one JSON object a line."`
}

// listedMember is a member of staff as an operator sees them.
type listedMember struct {
	Staff    staff.ID    `json:"staffId"`
	Username string      `json:"username"`
	Roles    staff.Roles `json:"roles"`
	State    string      `json:"state"`
	Name     string      `json:"name,omitempty"` // if personal data is shown
	Email    string      `json:"email,omitempty"`
}

// Run lists members of staff. With the master key it shows names and addresses on request,
// and records that (D37).
func (c *listStaffCmd) Run(r *term.Run) error {
	engine, now, err := c.openAt(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	if err := c.record(r, engine); err != nil {
		return err
	}
	header := "USERNAME|ROLES|STATE"
	if c.ShowPersonal {
		header += "|NAME|EMAIL"
	}
	return term.Register[listedMember]{Header: header, Cells: c.cells, Next: func(after listedMember) (page []listedMember, err error) {
		people, err := engine.People().After(r.Context, c.Tenant, after.Username, term.TableLines)
		for _, p := range people {
			page = append(page, c.listed(p, now))
		}
		return page, err
	}}.Write(r, c.JSON)
}

// openAt opens the engine, and returns its time.
func (c *listStaffCmd) openAt(r *term.Run) (*app.Engine, time.Time, error) {
	engine, err := c.OpenToShow(r, c.DatabaseFlag)
	if err != nil {
		return nil, time.Time{}, err
	}
	now, err := nowAt(r, engine, c.Tenant)
	if err != nil {
		engine.Close()
	}
	return engine, now, err
}

// nowAt returns the time of the service, which a sandbox may have moved, and refuses a
// practice that there is not.
func nowAt(r *term.Run, engine *app.Engine, tenant string) (time.Time, error) {
	if _, err := engine.Practices().Find(r.Context, tenant); err != nil {
		return time.Time{}, err
	}
	follower := &sandbox.Follower{Real: r.Now}
	err := follower.Follow(r.Context, engine.Log.DB)
	return follower.Now(), err
}

// recordPersonal appends that a command is about to show personal data of people of a
// practice.
func recordPersonal(r *term.Run, engine *app.Engine, tenant, command string, people int64) error {
	return r.RecordReading(engine, tenant, audit.Queried{
		Command: command, Filter: url.Values{"tenant": {tenant}}.Encode(), Personal: true, Count: people,
	})
}

// record appends that personal data is about to be shown.
func (c *listStaffCmd) record(r *term.Run, engine *app.Engine) error {
	if !c.ShowPersonal {
		return nil
	}
	n, err := engine.People().Count(r.Context, c.Tenant)
	if err != nil {
		return err
	}
	return recordPersonal(r, engine, c.Tenant, "list-staff", n)
}

func (c *listStaffCmd) listed(p projections.Person, now time.Time) listedMember {
	m := listedMember{Staff: p.Staff, Username: p.Username, Roles: p.Roles, State: stateOf(p, now)}
	if c.ShowPersonal {
		m.Name, m.Email = p.Name, p.Email
	}
	return m
}

// stateOf returns whether a member of staff can sign in, and the obstacle if not.
func stateOf(p projections.Person, now time.Time) string {
	switch {
	case !p.Active:
		return "left"
	case p.SignsIn:
		return "signs-in"
	case p.LinkUntil.IsZero():
		return "registered"
	case now.Before(p.LinkUntil):
		return "invited"
	}
	return "link-ended"
}

func (c *listStaffCmd) cells(m listedMember) []any {
	var roles []string
	for _, role := range m.Roles {
		roles = append(roles, string(role))
	}
	cells := []any{m.Username, orNone(roles), m.State}
	if c.ShowPersonal {
		cells = append(cells, m.Name, m.Email)
	}
	return cells
}

type listAuthorisationsCmd struct {
	listFlags `embed:""`
}

// Run lists the authorisations that have not ended. If the list names patients, it is
// recorded before (D37).
func (c *listAuthorisationsCmd) Run(r *term.Run) error {
	engine, now, err := c.openAt(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	if err := c.record(r, engine, now); err != nil {
		return err
	}
	return term.Register[directory.Authorisation]{
		Header: "USERNAME|APPLICATION|PATIENT|UNTIL|COUNTS", Cells: cellsOfAuthorisation,
		Next: func(after directory.Authorisation) ([]directory.Authorisation, error) {
			return engine.Registers().Authorisations(r.Context, c.Tenant, now, after, term.TableLines)
		},
	}.Write(r, c.JSON)
}

func (c *listAuthorisationsCmd) record(r *term.Run, engine *app.Engine, now time.Time) error {
	n, err := engine.Registers().PatientScoped(r.Context, c.Tenant, now)
	if err != nil || n == 0 {
		return err
	}
	return recordPersonal(r, engine, c.Tenant, "list-authorisations", n)
}

func cellsOfAuthorisation(a directory.Authorisation) []any {
	whom, counts := "all", "no"
	if a.Patient != (patient.ID{}) {
		whom = a.Patient.String()
	}
	if a.Counts {
		counts = "yes"
	}
	return []any{a.Username, a.Application, whom, a.ExpiresAt.UTC().Format(time.RFC3339), counts}
}
