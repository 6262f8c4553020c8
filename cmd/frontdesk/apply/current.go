package apply

import (
	"context"
	"errors"

	"frontdesk/domain/practice"
	"frontdesk/projections"
	"frontdesk/projections/applications"
)

// Current reads the current state. It queries read models that change in the append itself,
// so that they never lag.
type Current struct{ DB projections.Querier }

func (s Current) directory() applications.Directory { return applications.Directory{DB: s.DB} }

// currentPractice is the current state of a practice.
type currentPractice struct {
	registered bool
	name, zone string
	sites      []projections.Site
	people     map[string]projections.Person // those in the document, by username
}

func (s Current) practice(ctx context.Context, p *Practice) (found currentPractice, err error) {
	known, err := projections.Practices{DB: s.DB}.Find(ctx, p.Tenant)
	if errors.Is(err, practice.ErrUnknown) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	found.registered, found.name, found.zone = true, known.Name, known.Zone.String()
	if len(p.Sites) > 0 {
		if found.sites, err = (projections.Sites{DB: s.DB}).List(ctx, p.Tenant); err != nil {
			return found, err
		}
	}
	found.people, err = s.people(ctx, p)
	return found, err
}

func (s Current) people(ctx context.Context, p *Practice) (map[string]projections.Person, error) {
	if len(p.Staff) == 0 {
		return nil, nil
	}
	var usernames []string
	for _, m := range p.Staff {
		usernames = append(usernames, m.Username)
	}
	all, err := projections.People{DB: s.DB}.Named(ctx, p.Tenant, usernames)
	found := map[string]projections.Person{}
	for _, person := range all {
		found[person.Username] = person
	}
	return found, err
}
