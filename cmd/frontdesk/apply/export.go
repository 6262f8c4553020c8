package apply

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"frontdesk/domain/application"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/directory"
	"frontdesk/projections/history"
)

// exportPage is how many rows an export reads at once.
const exportPage = 500

// Practice returns the declaration that a practice matches now. It names everything that a
// document can declare, except closures that are over and staff who have left. Names and email
// addresses of staff are in it only if personal is set.
func (s Current) Practice(ctx context.Context, tenant string, now time.Time, personal bool) (*Practice, error) {
	known, err := projections.Practices{DB: s.DB}.Find(ctx, tenant)
	if err != nil {
		return nil, err
	}
	p := &Practice{Kind: KindPractice, Tenant: tenant, Name: known.Name, TimeZone: known.Zone.String()}
	for _, add := range []func() error{
		func() error { return s.addEnablements(ctx, p) },
		func() error { return s.addOpening(ctx, p, now) },
		func() error { return s.addSites(ctx, p) },
		func() error { return s.addPasskeyRoles(ctx, p) },
		func() error { return s.addStaff(ctx, p, personal) },
	} {
		if err := add(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (s Current) addEnablements(ctx context.Context, p *Practice) error {
	for after := (directory.Application{}); ; {
		page, err := directory.Lists{DB: s.DB}.Applications(ctx, p.Tenant, after, exportPage)
		if err != nil {
			return err
		}
		for _, a := range page {
			p.Applications = append(p.Applications, Enablement{Application: a.Application.String()})
		}
		if len(page) < exportPage {
			return nil
		}
		after = page[len(page)-1]
	}
}

func (s Current) addOpening(ctx context.Context, p *Practice, now time.Time) error {
	found, err := projections.Availability{DB: s.DB}.Receptions(ctx, p.Tenant)
	if err != nil {
		return err
	}
	for _, typ := range request.Types() {
		intake := found.Intakes[typ]
		texts := intake.Hours.Texts()
		p.RequestTypes = append(p.RequestTypes, RequestType{Type: typ, SwitchedOff: &intake.SwitchedOff, Hours: &texts})
	}
	for _, span := range found.Closures {
		if span.Until.IsZero() || span.Until.After(now) {
			p.Closures = append(p.Closures, closureOf(span))
		}
	}
	return nil
}

func closureOf(span practice.Span) Closure {
	c := Closure{From: span.From.UTC().Format(time.RFC3339Nano)}
	if !span.Until.IsZero() {
		c.Until = span.Until.UTC().Format(time.RFC3339Nano)
	}
	return c
}

// addSites gives a site or a room its identifier only if another one has the same name:
// an identifier means nothing in another database.
func (s Current) addSites(ctx context.Context, p *Practice) error {
	sites, err := projections.Sites{DB: s.DB}.List(ctx, p.Tenant)
	if err != nil {
		return err
	}
	named := map[string]int{}
	for _, at := range sites {
		named[at.Name]++
	}
	for _, at := range sites {
		declared := Site{Name: at.Name}
		if named[at.Name] > 1 {
			declared.Site = at.Site.String()
		}
		rooms := map[string]int{}
		for _, r := range at.Rooms {
			rooms[r.Name]++
		}
		for _, r := range at.Rooms {
			room := Room{Name: r.Name}
			if rooms[r.Name] > 1 {
				room.Room = r.Room.String()
			}
			declared.Rooms = append(declared.Rooms, room)
		}
		p.Sites = append(p.Sites, declared)
	}
	return nil
}

func (s Current) addPasskeyRoles(ctx context.Context, p *Practice) error {
	roles, err := history.PasskeyRules{DB: s.DB}.Roles(ctx, p.Tenant)
	list := append([]staff.Role{}, roles...) // an empty list is none
	p.PasskeyRoles = &list
	return err
}

func (s Current) addStaff(ctx context.Context, p *Practice, personal bool) error {
	for after := ""; ; {
		page, err := projections.People{DB: s.DB}.After(ctx, p.Tenant, after, exportPage)
		if err != nil {
			return err
		}
		for _, person := range page {
			if !person.Active {
				continue
			}
			roles := append([]staff.Role{}, person.Roles...)
			m := Member{Username: person.Username, Roles: &roles}
			if personal {
				m.Name, m.Email = person.Name, person.Email
			}
			p.Staff = append(p.Staff, m)
		}
		if len(page) < exportPage {
			return nil
		}
		after = page[len(page)-1].Username
	}
}

// Application returns the declaration that an application matches now, with the complete
// URLs of its webhooks.
func (s Current) Application(ctx context.Context, id application.ID) (*Application, error) {
	found, err := directory.Lists{DB: s.DB}.Application(ctx, id)
	if err != nil {
		return nil, err
	}
	a := &Application{
		Kind: KindApplication, Application: id.String(), Name: found.Name, JWKSURL: found.JWKSURL, PatientScoped: &found.PatientScoped,
	}
	for _, url := range found.Callbacks {
		a.Callbacks = append(a.Callbacks, Callback{URL: url})
	}
	for _, grant := range found.Grants {
		endpoint, mode, _ := strings.Cut(grant, ":")
		a.Grants = append(a.Grants, Grant{Endpoint: application.EndpointName(endpoint), Mode: application.Mode(mode)})
	}
	hooks, err := directory.Lists{DB: s.DB}.Webhooks(ctx, id, directory.Webhook{}, exportPage) // one for each kind of event
	for _, hook := range hooks {
		a.Webhooks = append(a.Webhooks, Webhook{Event: hook.Event, URL: hook.URL})
	}
	return a, err
}

// Write writes a document after a separator, so that several can be in one file.
func Write(w io.Writer, document any) error {
	text, err := yaml.MarshalWithOptions(document, yaml.OmitEmpty())
	if err != nil {
		return fmt.Errorf("write a document: %w", err)
	}
	_, err = fmt.Fprintf(w, "---\n%s", text)
	return err
}
