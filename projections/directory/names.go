package directory

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/projections"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Names looks up the names of people, applications and places of a practice, one at
// a time. An unknown one has the name "".
type Names struct{ DB projections.Querier }

// Staff returns the display name of a member of staff, who may have left.
func (d Names) Staff(ctx context.Context, tenant string, id uuid.UUID) (string, error) {
	return d.name(ctx, `SELECT name FROM staff WHERE tenant = $1 AND staff = $2`, tenant, id)
}

// Team returns the name of a team, which may have been removed.
func (d Names) Team(ctx context.Context, tenant string, id uuid.UUID) (string, error) {
	return d.name(ctx, `SELECT name FROM teams WHERE tenant = $1 AND team = $2`, tenant, id)
}

// Application returns the name of an application.
func (d Names) Application(ctx context.Context, id uuid.UUID) (string, error) {
	return d.name(ctx, `SELECT name FROM applications WHERE application = $1`, id)
}

// Site returns the name of a site.
func (d Names) Site(ctx context.Context, tenant string, id uuid.UUID) (string, error) {
	return d.name(ctx, `SELECT name FROM sites WHERE tenant = $1 AND site = $2`, tenant, id)
}

// Room returns the name of a room.
func (d Names) Room(ctx context.Context, tenant string, id uuid.UUID) (string, error) {
	return d.name(ctx, `SELECT name FROM rooms WHERE tenant = $1 AND room = $2`, tenant, id)
}

func (d Names) name(ctx context.Context, query string, args ...any) (name string, err error) {
	err = d.DB.QueryRow(ctx, query, args...).Scan(&name)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look up a name: %w", err)
	}
	return name, nil
}
