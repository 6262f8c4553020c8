package site

import (
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// RoomID identifies a room of one practice.
type RoomID struct{ uuid.UUID }

// RoomAdded says that a site has a room that patients can be called into.
type RoomAdded struct {
	Room RoomID `json:"room"`
	Site ID     `json:"site"`
	Name string `json:"name"`
}

// EventName implements [event.Event].
func (RoomAdded) EventName() string { return "site.room-added.v1" }

// What the rules refuse.
var (
	ErrRoomExists  = fault.New(fault.Conflict, "room-exists", "The room was added already.")
	ErrRoomUnknown = fault.New(fault.Refused, "room-not-found", "The appointment's site has no room with this roomId.")
)

// RoomStreamOf is the stream of a room. It is a stream of its own, so that a
// room is found by its identifier alone.
func RoomStreamOf(tenant string, id RoomID) event.Stream {
	return event.Stream{Tenant: tenant, ID: id.UUID}
}

// Room is what the rules ask about a room.
type Room struct{ site ID }

// Add is rule 2. That the site exists was found out before.
func (r Room) Add(id RoomID, at ID, name string) ([]event.Event, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return nil, ErrNameless
	case r.site != (ID{}):
		return nil, ErrRoomExists
	}
	return []event.Event{RoomAdded{id, at, name}}, nil
}

// At refuses with [ErrRoomUnknown] unless it is a room of the site.
func (r Room) At(site ID) error {
	if r.site == (ID{}) || r.site != site {
		return ErrRoomUnknown
	}
	return nil
}

// Apply implements [event.State].
func (r Room) Apply(e event.Event) Room {
	if added, ok := e.(RoomAdded); ok {
		r.site = added.Site
	}
	return r
}
