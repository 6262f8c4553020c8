package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// GivenAuthorisation is one by which an application acts for a member of staff.
type GivenAuthorisation struct {
	Application     application.ID
	ApplicationName string
	Enabled         bool // for the practice; without it the authorisation is of no use (D14)
	Username        string
	StaffName       string
	Patient         patient.ID // zero for a standing authorisation
	ExpiresAt       time.Time
}

// Scoped reports whether it is for one patient only (§5.5).
func (g GivenAuthorisation) Scoped() bool { return g.Patient != patient.ID{} }

// GivenAuthorisations answers who lets which application act for them now, out
// of the read models that are kept at once. Staff who may act no more are left
// out, for so are their authorisations (D14).
type GivenAuthorisations struct{ DB Querier }

const givenAuthorisations = `
SELECT u.application, a.name, EXISTS (SELECT FROM enablements e WHERE e.tenant = u.tenant AND e.application = u.application),
	s.username, s.name, u.patient, u.expires_at
FROM authorisations u
JOIN applications a ON a.application = u.application
JOIN staff s ON s.tenant = u.tenant AND s.staff = u.staff AND s.active
WHERE u.tenant = $1 AND u.expires_at > $2 AND (u.staff = $3) = $4
ORDER BY a.name, s.username, u.expires_at, u.application, u.patient
LIMIT $5`

// By lists those that a member of staff has given, at most limit.
func (g GivenAuthorisations) By(ctx context.Context, tenant string, member staff.ID, now time.Time, limit int) ([]GivenAuthorisation, error) {
	return g.list(ctx, tenant, now, member, true, limit)
}

// ByOthers lists those of everybody else at the practice, at most limit.
func (g GivenAuthorisations) ByOthers(ctx context.Context, tenant string, member staff.ID, now time.Time, limit int) ([]GivenAuthorisation, error) {
	return g.list(ctx, tenant, now, member, false, limit)
}

func (g GivenAuthorisations) list(ctx context.Context, tenant string, now time.Time, member staff.ID, own bool, limit int) ([]GivenAuthorisation, error) {
	rows, _ := g.DB.Query(ctx, givenAuthorisations, tenant, now, member, own, limit)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[GivenAuthorisation])
	if err != nil {
		return nil, fmt.Errorf("list authorisations: %w", err)
	}
	return found, nil
}
