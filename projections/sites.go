package projections

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/site"
)

// Sites is where each practice sees its patients, and the rooms there: the
// names that boards and webhooks show (§6.2).
type Sites struct{}

// Name implements [Projection].
func (Sites) Name() string { return "sites.v1" }

// Project implements [Projection].
func (Sites) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case site.Added:
		do(`INSERT INTO sites (tenant, site, name) VALUES ($1, $2, $3)`, r.Stream.Tenant, e.Site, e.Name)
	case site.RoomAdded:
		do(`INSERT INTO rooms (tenant, room, site, name) VALUES ($1, $2, $3, $4)`, r.Stream.Tenant, e.Room, e.Site, e.Name)
	}
}

// idOrNull is an identifier as an optional column holds it.
func idOrNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}
