package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/site"
)

// AddSite adds a place where the practice sees patients.
type AddSite struct {
	Tenant string
	Name   string
}

// AddSiteHandler handles [AddSite].
type AddSiteHandler struct{ Store Store }

// Handle adds the site and returns the identifier minted for it.
func (h AddSiteHandler) Handle(ctx context.Context, c AddSite) (site.ID, error) {
	id := site.ID{UUID: event.NewID()}
	err := knowPractice(ctx, h.Store, c.Tenant)
	if err == nil {
		err = Update(ctx, h.Store, site.StreamOf(c.Tenant, id), func(s site.Site) ([]event.Event, error) {
			return s.Add(id, c.Name)
		})
	}
	if err != nil {
		return site.ID{}, fmt.Errorf("add site: %w", err)
	}
	return id, nil
}

// knowSite refuses unless the practice has the site (D18).
func knowSite(ctx context.Context, store Store, tenant string, id site.ID) error {
	s, err := Load[site.Site](ctx, store, site.StreamOf(tenant, id))
	if err != nil {
		return err
	}
	return s.Known()
}
