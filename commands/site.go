package commands

import (
	"context"

	"frontdesk/domain/event"
	"frontdesk/domain/site"
)

// AddSite adds a place where the practice sees patients.
type AddSite struct {
	Tenant string
	Site   site.ID // the same for what may be sent twice, which is event.ErrConflict then; zero for a new one
	Name   string
}

// AddSite returns the identifier of the new site.
func (d Desk) AddSite(ctx context.Context, c AddSite) (site.ID, error) {
	if err := d.knowPractice(ctx, c.Tenant); err != nil {
		return site.ID{}, err
	}
	if c.Site == (site.ID{}) {
		c.Site.UUID = event.NewID()
	}
	events, err := site.Add(c.Site, c.Name)
	if err != nil {
		return site.ID{}, err
	}
	return c.Site, d.begin(ctx, site.StreamOf(c.Tenant, c.Site), events...)
}

// RenameSite gives a site another name.
type RenameSite struct {
	Tenant string
	Site   site.ID
	Name   string
}

// RenameSite changes nothing if the site has the name already.
func (d Desk) RenameSite(ctx context.Context, c RenameSite) error {
	return Update(ctx, d.Store, site.StreamOf(c.Tenant, c.Site), func(s site.Site) ([]event.Event, error) {
		return s.Rename(c.Name)
	})
}

// AddRoom adds a room to a site, so that patients can be called into it.
type AddRoom struct {
	Tenant string
	Room   site.RoomID // the same for what may be sent twice, as in [AddSite]
	Site   site.ID
	Name   string
}

// AddRoom returns the identifier of the new room. It refuses a site of another practice
// with site.ErrUnknown.
func (d Desk) AddRoom(ctx context.Context, c AddRoom) (site.RoomID, error) {
	if err := d.knowSite(ctx, c.Tenant, c.Site); err != nil {
		return site.RoomID{}, err
	}
	if c.Room == (site.RoomID{}) {
		c.Room.UUID = event.NewID()
	}
	events, err := site.AddRoom(c.Room, c.Site, c.Name)
	if err != nil {
		return site.RoomID{}, err
	}
	return c.Room, d.begin(ctx, site.RoomStreamOf(c.Tenant, c.Room), events...)
}

// RenameRoom gives a room another name.
type RenameRoom struct {
	Tenant string
	Room   site.RoomID
	Name   string
}

// RenameRoom changes nothing if the room has the name already.
func (d Desk) RenameRoom(ctx context.Context, c RenameRoom) error {
	return Update(ctx, d.Store, site.RoomStreamOf(c.Tenant, c.Room), func(r site.Room) ([]event.Event, error) {
		return r.Rename(c.Name)
	})
}
