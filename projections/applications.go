package projections

import (
	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
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
