package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/practice"
)

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
