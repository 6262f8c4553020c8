package site

import (
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// ID identifies a site of one practice; the API calls it siteId.
type ID struct{ uuid.UUID }

// Added says that the practice sees patients at a site.
type Added struct {
	Site ID     `json:"site"`
	Name string `json:"name"`
}

// EventName returns the name that the event is stored under.
func (Added) EventName() string { return "site.added.v1" }

// The refusals of this package's rules.
var (
	ErrNameless    = fault.New(fault.Invalid, "missing-name", "Give the site or the room a name.")
	ErrUnknown     = fault.New(fault.Refused, "site-not-found", "The practice has no site with this siteId.")
	ErrRoomUnknown = fault.New(fault.Refused, "room-not-found", "The appointment's site has no room with this roomId.")
)

// StreamOf returns the stream of a site.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// Add adds a site (rule 1).
func Add(id ID, name string) ([]event.Event, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return nil, ErrNameless
	}
	return []event.Event{Added{id, name}}, nil
}

// Site is what later decisions need to know of a site.
type Site struct{ added bool }

// Known returns [ErrUnknown] if the practice has no such site.
func (s Site) Known() error {
	if !s.added {
		return ErrUnknown
	}
	return nil
}

// Apply returns the site as it is after the event.
func (s Site) Apply(e event.Event) Site {
	if _, ok := e.(Added); ok {
		s.added = true
	}
	return s
}

// RoomID identifies a room of one practice.
type RoomID struct{ uuid.UUID }

// RoomAdded says that a site has a room that patients can be called into.
type RoomAdded struct {
	Room RoomID `json:"room"`
	Site ID     `json:"site"`
	Name string `json:"name"`
}

// EventName returns the name that the event is stored under.
func (RoomAdded) EventName() string { return "site.room-added.v1" }

// RoomStreamOf returns the stream of a room. A room has a stream of its own, so
// that it is found by its identifier alone.
func RoomStreamOf(tenant string, id RoomID) event.Stream {
	return event.Stream{Tenant: tenant, ID: id.UUID}
}

// AddRoom adds a room (rule 2). The caller has made sure that the site exists.
func AddRoom(id RoomID, at ID, name string) ([]event.Event, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return nil, ErrNameless
	}
	return []event.Event{RoomAdded{id, at, name}}, nil
}

// Room is what later decisions need to know of a room.
type Room struct{ site ID }

// At returns [ErrRoomUnknown] unless it is a room of the site.
func (r Room) At(site ID) error {
	if r.site == (ID{}) || r.site != site {
		return ErrRoomUnknown
	}
	return nil
}

// Apply returns the room as it is after the event.
func (r Room) Apply(e event.Event) Room {
	if added, ok := e.(RoomAdded); ok {
		r.site = added.Site
	}
	return r
}

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return []event.Event{Added{}, RoomAdded{}} }
