package directory

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

// Lists lists an operator's settings, page by page: each list begins after an
// entry, and the zero value is before all.
type Lists struct{ DB projections.Querier }

// Practice is a practice in a list.
type Practice struct {
	Tenant       string `json:"tenantId"`
	Name         string `json:"name"`
	TimeZone     string `json:"timeZone"`
	Applications int    `json:"applications"` // enabled
	Staff        int    `json:"staff"`        // active
}

const practicesAfter = `
SELECT p.tenant, p.name, p.time_zone, (SELECT count(*) FROM enablements e WHERE e.tenant = p.tenant),
	(SELECT count(*) FROM staff s WHERE s.tenant = p.tenant AND s.active)
FROM practices p WHERE p.tenant > $1 ORDER BY p.tenant LIMIT $2`

// Practices lists at most limit practices by their tenant identifiers.
func (r Lists) Practices(ctx context.Context, after Practice, limit int) ([]Practice, error) {
	return listed[Practice](ctx, r.DB, "practices", practicesAfter, after.Tenant, limit)
}

// Application is an application in a list.
type Application struct {
	Application   application.ID `json:"applicationId"`
	Name          string         `json:"name"`
	JWKSURL       string         `json:"jwksUrl"`
	PatientScoped bool           `json:"patientScoped"`
	Callbacks     []string       `json:"callbacks"`
	Grants        []string       `json:"grants"` // like "create-note:user-restricted"
}

const (
	applicationColumns = `
SELECT a.application, a.name, a.jwks_url, a.patient_scoped,
	ARRAY(SELECT c.callback FROM application_callbacks c WHERE c.application = a.application ORDER BY 1),
	ARRAY(SELECT g.endpoint || ':' || g.mode FROM endpoint_grants g WHERE g.application = a.application ORDER BY 1)
FROM applications a`
	applicationsAfter = applicationColumns + ` WHERE a.application > $1 ORDER BY a.application LIMIT $2`
	applicationOf     = applicationColumns + ` WHERE a.application = $1`
	enabledAfter      = applicationColumns + ` JOIN enablements e ON e.application = a.application
WHERE e.tenant = $3 AND e.application > $1 ORDER BY e.application LIMIT $2`
)

// Applications lists at most limit applications by their identifiers: those that a
// practice has enabled, or all if tenant is "".
func (r Lists) Applications(ctx context.Context, tenant string, after Application, limit int) ([]Application, error) {
	if tenant == "" {
		return listed[Application](ctx, r.DB, "applications", applicationsAfter, after.Application, limit)
	}
	return listed[Application](ctx, r.DB, "applications", enabledAfter, after.Application, limit, tenant)
}

// Application returns an application, or application.ErrUnknown.
func (r Lists) Application(ctx context.Context, id application.ID) (Application, error) {
	found, err := listed[Application](ctx, r.DB, "applications", applicationOf, id)
	if err != nil {
		return Application{}, err
	}
	if len(found) == 0 {
		return Application{}, application.ErrUnknown
	}
	return found[0], nil
}

// Authorisation is an authorisation in a list.
type Authorisation struct {
	Application application.ID `json:"applicationId"`
	Staff       staff.ID       `json:"staffId"`
	Username    string         `json:"username"`
	Patient     patient.ID     `json:"patientId,omitzero"` // zero for a standing one
	ExpiresAt   time.Time      `json:"expiresAt"`
	Counts      bool           `json:"counts"` // the application is enabled and the member of staff is active
}

const (
	authorisationsAfter = `
SELECT u.application, u.staff, s.username, u.patient, u.expires_at,
	s.active AND EXISTS (SELECT FROM enablements e WHERE e.tenant = u.tenant AND e.application = u.application)
FROM authorisations u JOIN staff s ON s.tenant = u.tenant AND s.staff = u.staff
WHERE u.tenant = $1 AND u.expires_at > $2 AND (u.application, u.staff, u.patient) > ($3, $4, $5)
ORDER BY u.application, u.staff, u.patient LIMIT $6`
	scopedCount = `
SELECT count(*) FROM authorisations u WHERE u.tenant = $1 AND u.expires_at > $2 AND u.patient <> '00000000-0000-0000-0000-000000000000'`
)

// Authorisations lists at most limit authorisations at a practice that have not ended,
// by application, member of staff and patient.
func (r Lists) Authorisations(ctx context.Context, tenant string, now time.Time, after Authorisation, limit int) ([]Authorisation, error) {
	return listed[Authorisation](ctx, r.DB, "authorisations", authorisationsAfter, tenant, now, after.Application, after.Staff, after.Patient, limit)
}

// PatientScoped counts those of them that name a patient.
func (r Lists) PatientScoped(ctx context.Context, tenant string, now time.Time) (n int64, err error) {
	if err := r.DB.QueryRow(ctx, scopedCount, tenant, now).Scan(&n); err != nil {
		return 0, fmt.Errorf("count authorisations: %w", err)
	}
	return n, nil
}

// Webhook is the URL for one kind of event of an application, in a list.
type Webhook struct {
	Application application.ID           `json:"applicationId"`
	Event       application.WebhookEvent `json:"event"`
	URL         string                   `json:"url"` // complete; show [application.WithoutQuery] to people
}

const (
	webhookColumns = `SELECT w.application, w.event, w.url FROM webhooks w WHERE (w.application, w.event) > ($1, $2)`
	webhooksAfter  = webhookColumns + ` ORDER BY w.application, w.event LIMIT $3`
	webhooksOf     = webhookColumns + ` AND w.application = $4 ORDER BY w.application, w.event LIMIT $3`
)

// Webhooks lists at most limit webhooks by application and event: those of one application,
// or all if it is zero.
func (r Lists) Webhooks(ctx context.Context, of application.ID, after Webhook, limit int) ([]Webhook, error) {
	if of == (application.ID{}) {
		return listed[Webhook](ctx, r.DB, "webhooks", webhooksAfter, after.Application, string(after.Event), limit)
	}
	return listed[Webhook](ctx, r.DB, "webhooks", webhooksOf, after.Application, string(after.Event), limit, of)
}

func listed[T any](ctx context.Context, db projections.Querier, what, query string, args ...any) ([]T, error) {
	rows, _ := db.Query(ctx, query, args...)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", what, err)
	}
	return found, nil
}
