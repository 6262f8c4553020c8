package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/site"
)

// AddRoom adds a room to a site, so that patients can be called into it.
type AddRoom struct {
	Tenant string
	Site   site.ID
	Name   string
}

// AddRoomHandler handles [AddRoom].
type AddRoomHandler struct{ Store Store }

// Handle adds the room and returns the identifier minted for it, or the rule
// that refuses it: site.ErrUnknown for a site of nobody or of another practice.
func (h AddRoomHandler) Handle(ctx context.Context, c AddRoom) (site.RoomID, error) {
	id := site.RoomID{UUID: event.NewID()}
	err := knowSite(ctx, h.Store, c.Tenant, c.Site)
	if err == nil {
		err = Update(ctx, h.Store, site.RoomStreamOf(c.Tenant, id), func(r site.Room) ([]event.Event, error) {
			return r.Add(id, c.Site, c.Name)
		})
	}
	if err != nil {
		return site.RoomID{}, fmt.Errorf("add room: %w", err)
	}
	return id, nil
}
