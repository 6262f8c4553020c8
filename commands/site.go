package commands

import (
	"context"

	"frontdesk/domain/event"
	"frontdesk/domain/site"
)

// AddSite adds a place where the practice sees patients.
type AddSite struct {
	Tenant string
	Name   string
}

// AddSite returns the identifier of the new site.
func (d Desk) AddSite(ctx context.Context, c AddSite) (site.ID, error) {
	if err := d.knowPractice(ctx, c.Tenant); err != nil {
		return site.ID{}, err
	}
	id := site.ID{UUID: event.NewID()}
	events, err := site.Add(id, c.Name)
	if err != nil {
		return site.ID{}, err
	}
	return id, d.begin(ctx, site.StreamOf(c.Tenant, id), events...)
}

// AddRoom adds a room to a site, so that patients can be called into it.
type AddRoom struct {
	Tenant string
	Site   site.ID
	Name   string
}

// AddRoom returns the identifier of the new room. It refuses a site of another practice
// with site.ErrUnknown.
func (d Desk) AddRoom(ctx context.Context, c AddRoom) (site.RoomID, error) {
	if err := d.knowSite(ctx, c.Tenant, c.Site); err != nil {
		return site.RoomID{}, err
	}
	id := site.RoomID{UUID: event.NewID()}
	events, err := site.AddRoom(id, c.Site, c.Name)
	if err != nil {
		return site.RoomID{}, err
	}
	return id, d.begin(ctx, site.RoomStreamOf(c.Tenant, id), events...)
}
