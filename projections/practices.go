package projections

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/site"
)

// Practices is the tenants and their settings.
type Practices struct{}

// Name implements [Projection].
func (Practices) Name() string { return "practices.v1" }

// Project implements [Projection].
func (Practices) Project(r event.Recorded, do func(sql string, args ...any)) {
	if e, ok := r.Event.(practice.Registered); ok {
		do(`INSERT INTO practices (tenant, name, time_zone) VALUES ($1, $2, $3)`, r.Stream.Tenant, e.Name, e.TimeZone)
	}
}

// Signpost is how a practice introduces itself to its staff.
type Signpost struct {
	Tenant string
	Name   string
	Zone   *time.Location // what its clocks show
}

// Signposts answers what every page says of the practice.
type Signposts struct{ DB Querier }

// Of is the practice's; practice.ErrUnknown if there is no such practice.
func (s Signposts) Of(ctx context.Context, tenant string) (Signpost, error) {
	found, zone := Signpost{Tenant: tenant}, ""
	err := s.DB.QueryRow(ctx, `SELECT name, time_zone FROM practices WHERE tenant = $1`, tenant).Scan(&found.Name, &zone)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, practice.ErrUnknown
	}
	if err == nil {
		found.Zone, err = location(zone)
	}
	if err != nil {
		return found, fmt.Errorf("read practice: %w", err)
	}
	return found, nil
}

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

// locations are the time zones met so far, which [time.LoadLocation] would
// read from a file each time: at most those that there are.
var locations sync.Map // *time.Location by name

func location(name string) (*time.Location, error) {
	if known, ok := locations.Load(name); ok {
		return known.(*time.Location), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("load time zone: %w", err)
	}
	locations.Store(name, zone)
	return zone, nil
}
