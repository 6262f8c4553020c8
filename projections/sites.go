package projections

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/site"
)

// Sites keeps the sites of each practice and their rooms. Boards and webhooks show
// their names.
type Sites struct{ DB Querier }

// Name returns the permanent name.
func (Sites) Name() string { return "sites.v1" }

// Project keeps a row for each site and each room.
func (Sites) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case site.Added:
		do(`INSERT INTO sites (tenant, site, name) VALUES ($1, $2, $3)`, r.Stream.Tenant, e.Site, e.Name)
	case site.Renamed:
		do(`UPDATE sites SET name = $3 WHERE tenant = $1 AND site = $2`, r.Stream.Tenant, e.Site, e.Name)
	case site.RoomAdded:
		do(`INSERT INTO rooms (tenant, room, site, name) VALUES ($1, $2, $3, $4)`, r.Stream.Tenant, e.Room, e.Site, e.Name)
	case site.RoomRenamed:
		do(`UPDATE rooms SET name = $3 WHERE tenant = $1 AND room = $2`, r.Stream.Tenant, e.Room, e.Name)
	}
}

// Site is one row of [Sites], with the rooms there.
type Site struct {
	Site  site.ID
	Name  string
	Rooms []Room // by name
}

// Room is a room of a [Site].
type Room struct {
	Room site.RoomID
	Name string
}

// List lists the sites of a practice by name.
func (s Sites) List(ctx context.Context, tenant string) ([]Site, error) {
	rows, _ := s.DB.Query(ctx, `
		SELECT s.site, s.name, r.room, coalesce(r.name, '') FROM sites s LEFT JOIN rooms r ON r.tenant = s.tenant AND r.site = s.site
		WHERE s.tenant = $1 ORDER BY s.name, s.site, r.name, r.room`, tenant)
	var sites []Site
	var found Site
	var room *uuid.UUID
	var name string
	_, err := pgx.ForEachRow(rows, []any{&found.Site, &found.Name, &room, &name}, func() error {
		if len(sites) == 0 || sites[len(sites)-1].Site != found.Site {
			sites = append(sites, found)
		}
		if last := &sites[len(sites)-1]; room != nil {
			last.Rooms = append(last.Rooms, Room{site.RoomID{UUID: *room}, name})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list sites: %w", err)
	}
	return sites, nil
}
