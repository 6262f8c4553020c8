package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/domain/staff"
)

// Approval is what a member of staff needs to know to let an application act
// for them (§5.4), as it stands at one instant.
type Approval struct {
	Application application.ID
	Name        string   // of the application
	Callbacks   []string // registered
	Enabled     bool     // for the practice (§5.6)
	MayCall     []application.Endpoint
	Until       time.Time // end of the current standing authorisation; zero when there is none
}

// Approvals answers what the authorisation page asks, out of the read models
// that are kept at once.
type Approvals struct{ DB Querier }

const approvalOf = `
SELECT a.application, a.name,
	ARRAY(SELECT callback FROM application_callbacks c WHERE c.application = a.application),
	EXISTS (SELECT FROM enablements e WHERE e.tenant = $1 AND e.application = a.application),
	ARRAY(SELECT endpoint FROM endpoint_grants g WHERE g.application = a.application AND g.mode = $4 ORDER BY endpoint),
	u.expires_at
FROM applications a
LEFT JOIN authorisations u ON u.tenant = $1 AND u.application = a.application AND u.staff = $3 AND u.patient = $5 AND u.expires_at > $6
WHERE a.application = $2`

// Of is what there is to approve for an application at a practice, now; for
// nobody in particular when the member of staff is zero. The error is
// application.ErrUnknown when there is no such application.
func (a Approvals) Of(ctx context.Context, tenant string, app application.ID, member staff.ID, now time.Time) (found Approval, err error) {
	var until *time.Time
	err = a.DB.QueryRow(ctx, approvalOf, tenant, app, member, application.UserRestricted, uuid.Nil, now).
		Scan(&found.Application, &found.Name, &found.Callbacks, &found.Enabled, &found.MayCall, &until)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, application.ErrUnknown
	}
	if err != nil {
		return found, fmt.Errorf("read what there is to approve: %w", err)
	}
	if until != nil {
		found.Until = until.UTC()
	}
	return found, nil
}
