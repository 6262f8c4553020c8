package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// Applications keeps the registered applications, their callbacks and grants.
type Applications struct{}

// Name returns the permanent name.
func (Applications) Name() string { return "applications.v1" }

// Project keeps a row for each application, callback and grant.
func (Applications) Project(r event.Recorded, do func(sql string, args ...any)) {
	app := r.Stream.ID
	switch e := r.Event.(type) {
	case application.Registered:
		do(`INSERT INTO applications (application, name, jwks_url) VALUES ($1, $2, $3)`, app, e.Name, e.JWKSURL)
	case application.JWKSURLSet:
		do(`UPDATE applications SET jwks_url = $2 WHERE application = $1`, app, e.JWKSURL)
	case application.PatientScopedMarked:
		do(`UPDATE applications SET patient_scoped = true WHERE application = $1`, app)
	case application.PatientScopedUnmarked:
		do(`UPDATE applications SET patient_scoped = false WHERE application = $1`, app)
	case application.KeySetReread:
		do(`UPDATE applications SET key_set_reread_at = greatest(key_set_reread_at, $2) WHERE application = $1`, e.Application, e.At)
	case application.CallbackAdded:
		do(`INSERT INTO application_callbacks (application, callback) VALUES ($1, $2)`, app, e.Callback)
	case application.CallbackRemoved:
		do(`DELETE FROM application_callbacks WHERE application = $1 AND callback = $2`, app, e.Callback)
	case application.EndpointGranted:
		do(`INSERT INTO endpoint_grants (application, endpoint, mode) VALUES ($1, $2, $3)`, app, e.Endpoint, e.Mode)
	case application.EndpointRevoked:
		do(`DELETE FROM endpoint_grants WHERE application = $1 AND endpoint = $2 AND mode = $3`, app, e.Endpoint, e.Mode)
	}
}

// Enablements keeps the applications that each practice allows to call.
type Enablements struct{}

// Name returns the permanent name.
func (Enablements) Name() string { return "enablements.v1" }

// Project keeps a row for each application that a practice has enabled.
func (Enablements) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case practice.ApplicationEnabled:
		do(`INSERT INTO enablements (tenant, application) VALUES ($1, $2)`, r.Stream.Tenant, e.Application)
	case practice.ApplicationDisabled:
		do(`DELETE FROM enablements WHERE tenant = $1 AND application = $2`, r.Stream.Tenant, e.Application)
	}
}

// Webhooks keeps the webhook URLs of applications.
type Webhooks struct{}

// Name returns the permanent name.
func (Webhooks) Name() string { return "webhooks.v1" }

// Project keeps a row for each kind of event that an application receives.
func (Webhooks) Project(r event.Recorded, do func(sql string, args ...any)) {
	app := r.Stream.ID
	switch e := r.Event.(type) {
	case application.WebhookSet:
		do(`INSERT INTO webhooks (application, event, url, destination) VALUES ($1, $2, $3, $4)
			ON CONFLICT (application, event) DO UPDATE SET url = excluded.url, destination = excluded.destination`,
			app, string(e.Event), e.URL, destinationOf(app, e.URL))
	case application.WebhookRemoved:
		do(`DELETE FROM webhooks WHERE application = $1 AND event = $2`, app, string(e.Event))
	}
}

// destinationOf returns the destination of an application's webhooks at a URL. All
// kinds of event with that URL share the destination, its order and its slots.
func destinationOf(app uuid.UUID, url string) uuid.UUID {
	return event.DerivedID("webhook-destination", app.String(), url)
}

// EnabledApplication is an application that a practice allows to call.
type EnabledApplication struct {
	Tenant      string         `json:"tenant"`
	Application application.ID `json:"application"`
	Name        string         `json:"name"`
	Grants      []string       `json:"grants"` // like "create-note:user-restricted"
}

// EnabledApplications lists the applications that practices allow to call.
type EnabledApplications struct{ DB Querier }

// All lists those of a practice, or of every practice if tenant is "".
func (a EnabledApplications) All(ctx context.Context, tenant string) ([]EnabledApplication, error) {
	rows, _ := a.DB.Query(ctx, `
		SELECT e.tenant, a.application, a.name,
			ARRAY(SELECT g.endpoint || ':' || g.mode FROM endpoint_grants g WHERE g.application = a.application ORDER BY 1)
		FROM enablements e JOIN applications a ON a.application = e.application
		WHERE $1 = '' OR e.tenant = $1 ORDER BY e.tenant, a.name, a.application`, tenant)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[EnabledApplication])
	if err != nil {
		return nil, fmt.Errorf("list enabled applications: %w", err)
	}
	return found, nil
}

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

// Of returns the approval of an application by a member of staff now. A zero member
// has authorised nothing. It returns application.ErrUnknown if the application does not
// exist.
func (a Approvals) Of(ctx context.Context, tenant string, app application.ID, member staff.ID, now time.Time) (found Approval, err error) {
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
