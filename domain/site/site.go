package site

import (
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// ID identifies a site of one practice: the siteId of §6.2.
type ID struct{ uuid.UUID }

// Added says that the practice sees patients at a site.
type Added struct {
	Site ID     `json:"site"`
	Name string `json:"name"`
}

// EventName implements [event.Event].
func (Added) EventName() string { return "site.added.v1" }

// Events are the events of this package, for the codec.
func Events() []event.Event { return []event.Event{Added{}, RoomAdded{}} }

// What the rules refuse.
var (
	ErrNameless = fault.New(fault.Invalid, "missing-name", "A site or a room needs a name.")
	ErrExists   = fault.New(fault.Conflict, "site-exists", "The site was added already.")
	ErrUnknown  = fault.New(fault.Refused, "site-not-found", "The practice has no site with this siteId.")
)

// StreamOf is the stream of a site.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// Site is what the rules ask about a site.
type Site struct{ added bool }

// Add is rule 1.
func (s Site) Add(id ID, name string) ([]event.Event, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return nil, ErrNameless
	case s.added:
		return nil, ErrExists
	}
	return []event.Event{Added{id, name}}, nil
}

// Known refuses with [ErrUnknown] when the practice has no such site (D18).
func (s Site) Known() error {
	if !s.added {
		return ErrUnknown
	}
	return nil
}

// Apply implements [event.State].
func (s Site) Apply(e event.Event) Site {
	if _, ok := e.(Added); ok {
		s.added = true
	}
	return s
}
