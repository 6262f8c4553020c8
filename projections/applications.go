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

// Applications is the registered applications, their callbacks and grants.
type Applications struct{}

// Name implements [Projection].
func (Applications) Name() string { return "applications.v1" }

// Project implements [Projection].
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

// Enablements is which applications each practice lets call (§5.6).
type Enablements struct{}

// Name implements [Projection].
func (Enablements) Name() string { return "enablements.v1" }

// Project implements [Projection].
func (Enablements) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case practice.ApplicationEnabled:
		do(`INSERT INTO enablements (tenant, application) VALUES ($1, $2)`, r.Stream.Tenant, e.Application)
	case practice.ApplicationDisabled:
		do(`DELETE FROM enablements WHERE tenant = $1 AND application = $2`, r.Stream.Tenant, e.Application)
	}
}

// Webhooks is where applications are told of events (§6).
type Webhooks struct{}

// Name implements [Projection].
func (Webhooks) Name() string { return "webhooks.v1" }

// Project implements [Projection].
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

// destinationOf names what keeps its order and has slots of its own (D31,
// D32): an application's receiver, whichever kinds of event go there.
func destinationOf(app uuid.UUID, url string) uuid.UUID {
	return event.DerivedID("webhook-destination", app.String(), url)
}

// EnabledApplication is an application that a practice lets call (§5.6).
type EnabledApplication struct {
	Tenant      string         `json:"tenant"`
	Application application.ID `json:"application"`
	Name        string         `json:"name"`
	Grants      []string       `json:"grants"` // as §5.6 writes them
}

// EnabledApplications answers which applications practices let call, out of
// the read models that are kept at once.
type EnabledApplications struct{ DB Querier }

// All lists those of a practice, or of every practice when tenant is "".
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

// Tenants answers which practices there are.
type Tenants struct{ DB Querier }

// All lists their identifiers.
func (t Tenants) All(ctx context.Context) ([]string, error) {
	rows, _ := t.DB.Query(ctx, `SELECT tenant FROM practices ORDER BY tenant`)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list practices: %w", err)
	}
	return found, nil
}

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
