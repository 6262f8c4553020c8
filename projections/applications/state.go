package applications

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/projections"
)

// State is a registered application and its state at one practice. It contains
// no personal data.
type State struct {
	Name          string
	JWKSURL       string
	PatientScoped bool
	Callbacks     []string
	Grants        []application.Grant
	Webhooks      []application.WebhookSet
	Enabled       bool // also false if the practice does not exist
	Standing      int  // members of staff with a standing authorisation now; 0 unless the application is enabled
	Scoped        int  // authorisations for one patient each, likewise
}

// States answers the API calls of applications about themselves (D94).
type States struct{ DB projections.Querier }

// Lists are in the order of their texts. The query counts authorisations by the staff
// of the practice, who are few: expired ones stay in the table, and are many. It reads
// only those of a practice that has enabled the application, so the answer and its
// timing do not reveal whether a practice exists.
const stateAtPractice = `
SELECT a.name, a.jwks_url, a.patient_scoped,
	ARRAY(SELECT callback FROM application_callbacks c WHERE c.application = a.application ORDER BY 1),
	to_json(ARRAY(SELECT json_build_object('endpoint', g.endpoint, 'mode', g.mode) FROM endpoint_grants g
		WHERE g.application = a.application ORDER BY g.endpoint, g.mode)),
	to_json(ARRAY(SELECT json_build_object('event', w.event, 'url', w.url) FROM webhooks w WHERE w.application = a.application ORDER BY w.event)),
	n.application IS NOT NULL, coalesce(u.standing, 0), coalesce(u.scoped, 0)
FROM applications a LEFT JOIN enablements n ON n.tenant = $1 AND n.application = a.application
LEFT JOIN LATERAL (
	SELECT sum(given.standing) AS standing, sum(given.scoped) AS scoped
	FROM staff s CROSS JOIN LATERAL (
		SELECT count(*) FILTER (WHERE patient = $4) AS standing, count(*) FILTER (WHERE patient <> $4) AS scoped FROM authorisations g
		WHERE g.tenant = s.tenant AND g.application = n.application AND g.staff = s.staff AND g.expires_at > $3) given
	WHERE s.tenant = n.tenant AND s.active) u ON true
WHERE a.application = $2`

// Find returns the state of an application at a practice at an instant. It returns
// application.ErrUnknown if the application does not exist.
func (s States) Find(ctx context.Context, tenant string, app application.ID, now time.Time) (found State, err error) {
	err = s.DB.QueryRow(ctx, stateAtPractice, tenant, app, now, uuid.Nil).Scan(&found.Name, &found.JWKSURL, &found.PatientScoped,
		&found.Callbacks, &found.Grants, &found.Webhooks, &found.Enabled, &found.Standing, &found.Scoped)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return found, application.ErrUnknown
	case err != nil:
		return found, fmt.Errorf("read an application: %w", err)
	}
	return found, nil
}
