package applications

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Authorisation is an authorisation as a page shows it.
type Authorisation struct {
	Application     application.ID
	ApplicationName string
	Enabled         bool // for the practice; if false, the authorisation has no effect
	Username        string
	StaffName       string
	Patient         patient.ID // zero for a standing authorisation
	ExpiresAt       time.Time
}

// Scoped reports whether the authorisation is for one patient only.
func (a Authorisation) Scoped() bool { return a.Patient != patient.ID{} }

// Authorisations lists current authorisations. It leaves out those of staff who
// have left, which have no effect.
type Authorisations struct{ DB projections.Querier }

const (
	givenColumns = `
SELECT u.application, a.name, EXISTS (SELECT FROM enablements e WHERE e.tenant = u.tenant AND e.application = u.application),
	s.username, s.name, u.patient, u.expires_at
FROM authorisations u
JOIN applications a ON a.application = u.application
JOIN staff s ON s.tenant = u.tenant AND s.staff = u.staff AND s.active`

	authorisationsBy = givenColumns + `
WHERE u.tenant = $1 AND u.expires_at > $2 AND (u.staff = $3) = $4
ORDER BY a.name, s.username, u.expires_at, u.application, u.patient
LIMIT $5`

	authorisationsTo = givenColumns + `
WHERE u.tenant = $1 AND u.expires_at > $2 AND u.application = $3
ORDER BY s.username, u.expires_at, u.patient
LIMIT $4`
)

// GivenBy lists at most limit authorisations that a member of staff has given.
func (a Authorisations) GivenBy(ctx context.Context, tenant string, member staff.ID, now time.Time, limit int) ([]Authorisation, error) {
	return a.list(ctx, authorisationsBy, tenant, now, member, true, limit)
}

// GivenByOthers lists at most limit authorisations that all other staff of the practice have
// given.
func (a Authorisations) GivenByOthers(ctx context.Context, tenant string, member staff.ID, now time.Time, limit int) ([]Authorisation, error) {
	return a.list(ctx, authorisationsBy, tenant, now, member, false, limit)
}

// GivenTo lists at most limit authorisations that an application has been given.
func (a Authorisations) GivenTo(ctx context.Context, tenant string, app application.ID, now time.Time, limit int) ([]Authorisation, error) {
	return a.list(ctx, authorisationsTo, tenant, now, app, limit)
}

func (a Authorisations) list(ctx context.Context, query string, args ...any) ([]Authorisation, error) {
	rows, _ := a.DB.Query(ctx, query, args...)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Authorisation])
	if err != nil {
		return nil, fmt.Errorf("list authorisations: %w", err)
	}
	return found, nil
}
