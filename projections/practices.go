package projections

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

// Practices keeps the practices, which are the tenants, and their settings.
type Practices struct{ DB Querier }

// Name returns the permanent name.
func (Practices) Name() string { return "practices.v1" }

// Project keeps a row for each practice.
func (Practices) Project(r event.Recorded, do func(sql string, args ...any)) {
	if e, ok := r.Event.(practice.Registered); ok {
		do(`INSERT INTO practices (tenant, name, time_zone) VALUES ($1, $2, $3)`, r.Stream.Tenant, e.Name, e.TimeZone)
	}
}

// Practice is the data of a practice that every staff page shows.
type Practice struct {
	Tenant string
	Name   string
	Zone   *time.Location // time zone of the practice
}

// Find returns a practice, or practice.ErrUnknown.
func (p Practices) Find(ctx context.Context, tenant string) (Practice, error) {
	found, zone := Practice{Tenant: tenant}, ""
	err := p.DB.QueryRow(ctx, `SELECT name, time_zone FROM practices WHERE tenant = $1`, tenant).Scan(&found.Name, &zone)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, practice.ErrUnknown
	}
	if err != nil {
		return found, fmt.Errorf("read practice: %w", err)
	}
	found.Zone, err = location(zone)
	return found, err
}

// Tenants lists the tenant identifiers of all practices.
func (p Practices) Tenants(ctx context.Context) ([]string, error) {
	rows, _ := p.DB.Query(ctx, `SELECT tenant FROM practices ORDER BY tenant`)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list practices: %w", err)
	}
	return found, nil
}

// locations caches time zones, because [time.LoadLocation] reads a file each time. It
// cannot grow beyond the few hundred zones that exist.
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
