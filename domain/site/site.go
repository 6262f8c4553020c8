package site

import (
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// ID identifies a site of one practice; the API calls it siteId.
type ID struct{ uuid.UUID }

// Added records a new site of the practice.
type Added struct {
	Site ID     `json:"site"`
	Name string `json:"name"`
}

// Renamed records a site's new name.
type Renamed struct {
	Site ID     `json:"site"`
	Name string `json:"name"`
}

// EventName returns the name that the event is stored under.
func (Added) EventName() string { return "site.added.v1" }

// EventName returns the name that the event is stored under.
func (Renamed) EventName() string { return "site.renamed.v1" }

// The refusals of this package's rules.
var (
	ErrNameless      = fault.New(fault.Invalid, "missing-name", "Give the site or the room a name.")
	ErrUnknown       = fault.New(fault.Refused, "site-not-found", "The practice has no site with this siteId.")
	ErrRoomUnknown   = fault.New(fault.Refused, "room-not-found", "The appointment's site has no room with this roomId.")
	errRoomElsewhere = ErrRoomUnknown.Worded("The practice has no room with this roomId.")
)

// StreamOf returns the stream of a site.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// Add adds a site (rule 1).
func Add(id ID, name string) ([]event.Event, error) {
	name, err := named(name)
	if err != nil {
		return nil, err
	}
	return []event.Event{Added{id, name}}, nil
}

// named returns a name without the spaces around it, or [ErrNameless].
func named(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return "", ErrNameless
	}
	return name, nil
}

// Site is the state of a site that later decisions need.
type Site struct {
	id   ID // zero before it is added
	name string
}

// Rename renames the site. The same name changes nothing.
func (s Site) Rename(name string) ([]event.Event, error) {
	if err := s.Known(); err != nil {
		return nil, err
	}
	name, err := named(name)
	if err != nil || name == s.name {
		return nil, err
	}
	return []event.Event{Renamed{s.id, name}}, nil
}

// Known returns [ErrUnknown] if the practice has no such site.
func (s Site) Known() error {
	if s.id == (ID{}) {
		return ErrUnknown
	}
	return nil
}

// Apply returns the site after the event.
func (s Site) Apply(e event.Event) Site {
	switch e := e.(type) {
	case Added:
		s.id, s.name = e.Site, e.Name
	case Renamed:
		s.name = e.Name
	}
	return s
}

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return append(Site{}.Events(), Room{}.Events()...) }

// Events returns the events of a site's stream.
func (Site) Events() []event.Event { return []event.Event{Added{}, Renamed{}} }
