package commands

import (
	"context"

	"frontdesk/domain/event"
	"frontdesk/domain/site"
)

// AddSite adds a place where the practice sees patients.
type AddSite struct {
	Tenant string
	Once   string // names this one creation, which is event.ErrConflict if it is sent twice; "" if it is not
	Name   string
}

// AddSite returns the identifier of the new site.
func (d Desk) AddSite(ctx context.Context, c AddSite) (site.ID, error) {
	if err := d.knowPractice(ctx, c.Tenant); err != nil {
		return site.ID{}, err
	}
	id := SiteID(c.Tenant, c.Once)
	events, err := site.Add(id, c.Name)
	if err != nil {
		return site.ID{}, err
	}
	return id, d.begin(ctx, site.StreamOf(c.Tenant, id), events...)
}

// SiteID returns the identifier that [Desk.AddSite] gives a site.
func SiteID(tenant, once string) site.ID { return site.ID{UUID: newID("site", once, tenant)} }

// RoomID returns the identifier that [Desk.AddRoom] gives a room.
func RoomID(tenant string, of site.ID, once string) site.RoomID {
	return site.RoomID{UUID: newID("room", once, tenant, of.String())}
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
	Once   string // as in [AddSite]
	Site   site.ID
	Name   string
}

// AddRoom returns the identifier of the new room. It refuses a site of another practice
// with site.ErrUnknown.
func (d Desk) AddRoom(ctx context.Context, c AddRoom) (site.RoomID, error) {
	if err := d.knowSite(ctx, c.Tenant, c.Site); err != nil {
		return site.RoomID{}, err
	}
	id := RoomID(c.Tenant, c.Site, c.Once)
	events, err := site.AddRoom(id, c.Site, c.Name)
	if err != nil {
		return site.RoomID{}, err
	}
	return id, d.begin(ctx, site.RoomStreamOf(c.Tenant, id), events...)
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
