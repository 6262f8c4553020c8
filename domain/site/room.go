package site

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// RoomID identifies a room of one practice.
type RoomID struct{ uuid.UUID }

// RoomAdded records a new room that patients can be called into.
type RoomAdded struct {
	Room RoomID `json:"room"`
	Site ID     `json:"site"`
	Name string `json:"name"`
}

// RoomRenamed records a room's new name.
type RoomRenamed struct {
	Room RoomID `json:"room"`
	Site ID     `json:"site"`
	Name string `json:"name"`
}

// EventName returns the name that the event is stored under.
func (RoomRenamed) EventName() string { return "site.room-renamed.v1" }

// EventName returns the name that the event is stored under.
func (RoomAdded) EventName() string { return "site.room-added.v1" }

// RoomStreamOf returns the stream of a room. A room has a stream of its own, so that
// its identifier is enough to find it.
func RoomStreamOf(tenant string, id RoomID) event.Stream {
	return event.Stream{Tenant: tenant, ID: id.UUID}
}

// AddRoom adds a room (rule 2). The caller has made sure that the site exists.
func AddRoom(id RoomID, at ID, name string) ([]event.Event, error) {
	name, err := named(name)
	if err != nil {
		return nil, err
	}
	return []event.Event{RoomAdded{id, at, name}}, nil
}

// Room is the state of a room that later decisions need.
type Room struct {
	id   RoomID
	site ID // zero before it is added
	name string
}

// Rename renames the room. The same name changes nothing.
func (r Room) Rename(name string) ([]event.Event, error) {
	if r.site == (ID{}) {
		return nil, errRoomElsewhere
	}
	name, err := named(name)
	if err != nil || name == r.name {
		return nil, err
	}
	return []event.Event{RoomRenamed{r.id, r.site, name}}, nil
}

// CheckSite returns [ErrRoomUnknown] unless it is a room of the site.
func (r Room) CheckSite(site ID) error {
	if r.site == (ID{}) || r.site != site {
		return ErrRoomUnknown
	}
	return nil
}

// Apply returns the room after the event.
func (r Room) Apply(e event.Event) Room {
	switch e := e.(type) {
	case RoomAdded:
		r.id, r.site, r.name = e.Room, e.Site, e.Name
	case RoomRenamed:
		r.name = e.Name
	}
	return r
}

// Events returns the events of a room's stream.
func (Room) Events() []event.Event { return []event.Event{RoomAdded{}, RoomRenamed{}} }
