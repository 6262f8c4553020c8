package projections

import (
	"frontdesk/domain/application"
	"frontdesk/domain/event"
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
