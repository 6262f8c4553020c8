package applications

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Approval is the information that a member of staff needs before they authorise an
// application.
type Approval struct {
	Application application.ID
	Name        string   // of the application
	Callbacks   []string // registered
	Enabled     bool     // for the practice
	MayCall     []application.EndpointName
	Until       time.Time // end of the current standing authorisation; zero without one
}

// Approvals reads the data of the page on which staff authorise an application.
type Approvals struct{ DB projections.Querier }

const approvalOf = `
SELECT a.application, a.name,
	ARRAY(SELECT callback FROM application_callbacks c WHERE c.application = a.application),
	EXISTS (SELECT FROM enablements e WHERE e.tenant = $1 AND e.application = a.application),
	ARRAY(SELECT endpoint FROM endpoint_grants g WHERE g.application = a.application AND g.mode = $4 ORDER BY endpoint),
	u.expires_at
FROM applications a
LEFT JOIN authorisations u ON u.tenant = $1 AND u.application = a.application AND u.staff = $3 AND u.patient = $5 AND u.expires_at > $6
WHERE a.application = $2`

// Find returns the approval of an application by a member of staff now. A zero member
// has authorised nothing. It returns application.ErrUnknown if the application does not
// exist.
func (a Approvals) Find(ctx context.Context, tenant string, app application.ID, member staff.ID, now time.Time) (found Approval, err error) {
	var until *time.Time
	err = a.DB.QueryRow(ctx, approvalOf, tenant, app, member, application.UserRestricted, uuid.Nil, now).
		Scan(&found.Application, &found.Name, &found.Callbacks, &found.Enabled, &found.MayCall, &until)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, application.ErrUnknown
	}
	if err != nil {
		return found, fmt.Errorf("read an approval: %w", err)
	}
	if until != nil {
		found.Until = until.UTC()
	}
	return found, nil
}
