package practice

import (
	"strings"
	"time"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/application"
	"frontdesk/projections/directory"
)

// listFlags are the flags of a list of a practice.
type listFlags struct {
	term.DatabaseFlag `embed:""`
	Tenant            string `required:"" help:"The practice's tenant identifier."`
	JSON              bool   `name:"json" help:"Print one JSON object a line."`
}

// openAt opens the engine, and returns the time of its database. It refuses an unknown practice.
func (f listFlags) openAt(r *term.Run) (*app.Engine, time.Time, error) {
	engine, err := f.Open(r)
	if err != nil {
		return nil, time.Time{}, err
	}
	now, err := nowAt(r, engine, f.Tenant)
	if err != nil {
		engine.Close()
		return nil, time.Time{}, err
	}
	return engine, now, nil
}

// openPractice opens the engine, and refuses an unknown practice.
func (f listFlags) openPractice(r *term.Run) (*app.Engine, error) {
	engine, err := f.Open(r)
	if err != nil {
		return nil, err
	}
	if _, err := engine.Practices().Find(r.Context, f.Tenant); err != nil {
		engine.Close()
		return nil, err
	}
	return engine, nil
}

type listPracticesCmd struct {
	term.DatabaseFlag `embed:""`
	JSON              bool `name:"json" help:"Print one JSON object a line."`
}

func (c *listPracticesCmd) Run(r *term.Run) error {
	engine, err := c.Open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	return term.Register[directory.Practice]{
		Header: "TENANT|NAME|TIME ZONE|APPLICATIONS|STAFF",
		Cells: func(p directory.Practice) []any {
			return []any{p.Tenant, p.Name, p.TimeZone, p.Applications, p.Staff}
		},
		Next: func(after directory.Practice) ([]directory.Practice, error) {
			return engine.Registers().Practices(r.Context, after, term.TableLines)
		},
	}.Write(r, c.JSON)
}

type listApplicationsCmd struct {
	term.DatabaseFlag `embed:""`
	Tenant            string `help:"Only applications that this practice has enabled."`
	JSON              bool   `name:"json" help:"Print one JSON object a line."`
}

func (c *listApplicationsCmd) Run(r *term.Run) error {
	engine, err := c.Open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	if c.Tenant != "" {
		if _, err := engine.Practices().Find(r.Context, c.Tenant); err != nil {
			return err
		}
	}
	return term.Register[directory.Application]{
		Header: "APPLICATION|NAME|JWKS URL|GRANTS",
		Cells: func(a directory.Application) []any {
			return []any{a.Application, a.Name, a.JWKSURL, orNone(a.Grants)}
		},
		Next: func(after directory.Application) ([]directory.Application, error) {
			return engine.Registers().Applications(r.Context, c.Tenant, after, term.TableLines)
		},
	}.Write(r, c.JSON)
}

type listWebhooksCmd struct {
	term.DatabaseFlag `embed:""`
	Application       application.ID `placeholder:"UUID" help:"Only URLs of this application."`
	JSON              bool           `name:"json" help:"Print one JSON object a line."`
}

// Run shows addresses without their queries, in which some receivers keep a secret.
func (c *listWebhooksCmd) Run(r *term.Run) error {
	engine, err := c.Open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	return term.Register[directory.Webhook]{
		Header: "APPLICATION|EVENT|URL",
		Cells:  func(w directory.Webhook) []any { return []any{w.Application, w.Event, w.URL} },
		Next: func(after directory.Webhook) ([]directory.Webhook, error) {
			page, err := engine.Registers().Webhooks(r.Context, c.Application, after, term.TableLines)
			for n := range page {
				page[n].URL = application.WithoutQuery(page[n].URL)
			}
			return page, err
		},
	}.Write(r, c.JSON)
}

// orNone shows that a cell is empty.
func orNone(items []string) string {
	if len(items) == 0 {
		return "-"
	}
	return strings.Join(items, " ")
}
