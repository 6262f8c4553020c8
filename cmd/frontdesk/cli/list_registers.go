package cli

import (
	"strings"

	"frontdesk/domain/application"
	"frontdesk/projections"
)

type listPracticesCmd struct {
	databaseFlag `embed:""`
	JSON         bool `name:"json" help:"Print one JSON object a line."`
}

func (c *listPracticesCmd) Run(r *run) error {
	engine, err := c.open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	return register[projections.RegisteredPractice]{
		"TENANT|NAME|TIME ZONE|APPLICATIONS|STAFF",
		func(p projections.RegisteredPractice) []any {
			return []any{p.Tenant, p.Name, p.TimeZone, p.Applications, p.Staff}
		},
		func(after projections.RegisteredPractice) ([]projections.RegisteredPractice, error) {
			return engine.Registers().Practices(r.ctx, after, tableLines)
		},
	}.write(r, c.JSON)
}

type listApplicationsCmd struct {
	databaseFlag `embed:""`
	Tenant       string `help:"Only those that this practice has enabled."`
	JSON         bool   `name:"json" help:"Print one JSON object a line."`
}

func (c *listApplicationsCmd) Run(r *run) error {
	engine, err := c.open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	if c.Tenant != "" {
		if _, err := engine.Signposts().Of(r.ctx, c.Tenant); err != nil {
			return err
		}
	}
	return register[projections.RegisteredApplication]{
		"APPLICATION|NAME|JWKS URL|GRANTS",
		func(a projections.RegisteredApplication) []any {
			return []any{a.Application, a.Name, a.JWKSURL, orNone(a.Grants)}
		},
		func(after projections.RegisteredApplication) ([]projections.RegisteredApplication, error) {
			return engine.Registers().Applications(r.ctx, c.Tenant, after, tableLines)
		},
	}.write(r, c.JSON)
}

type listWebhooksCmd struct {
	databaseFlag `embed:""`
	Application  application.ID `placeholder:"UUID" help:"Only those of this application."`
	JSON         bool           `name:"json" help:"Print one JSON object a line."`
}

// Run shows addresses without their queries, in which some receivers keep a secret.
func (c *listWebhooksCmd) Run(r *run) error {
	engine, err := c.open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	return register[projections.RegisteredWebhook]{
		"APPLICATION|EVENT|URL",
		func(w projections.RegisteredWebhook) []any { return []any{w.Application, w.Event, w.URL} },
		func(after projections.RegisteredWebhook) ([]projections.RegisteredWebhook, error) {
			page, err := engine.Registers().Webhooks(r.ctx, c.Application, after, tableLines)
			for n := range page {
				page[n].URL = application.Shown(page[n].URL)
			}
			return page, err
		},
	}.write(r, c.JSON)
}

// orNone shows that a cell is empty.
func orNone(items []string) string {
	if len(items) == 0 {
		return "-"
	}
	return strings.Join(items, " ")
}
