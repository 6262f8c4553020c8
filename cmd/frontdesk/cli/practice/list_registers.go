package practice

import (
	"strings"

	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/application"
	"frontdesk/projections"
)

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
	return term.Register[projections.RegisteredPractice]{
		Header: "TENANT|NAME|TIME ZONE|APPLICATIONS|STAFF",
		Cells: func(p projections.RegisteredPractice) []any {
			return []any{p.Tenant, p.Name, p.TimeZone, p.Applications, p.Staff}
		},
		Next: func(after projections.RegisteredPractice) ([]projections.RegisteredPractice, error) {
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
	return term.Register[projections.RegisteredApplication]{
		Header: "APPLICATION|NAME|JWKS URL|GRANTS",
		Cells: func(a projections.RegisteredApplication) []any {
			return []any{a.Application, a.Name, a.JWKSURL, orNone(a.Grants)}
		},
		Next: func(after projections.RegisteredApplication) ([]projections.RegisteredApplication, error) {
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
	return term.Register[projections.RegisteredWebhook]{
		Header: "APPLICATION|EVENT|URL",
		Cells:  func(w projections.RegisteredWebhook) []any { return []any{w.Application, w.Event, w.URL} },
		Next: func(after projections.RegisteredWebhook) ([]projections.RegisteredWebhook, error) {
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
