package projections

import (
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// Authorisations keeps the applications that each member of staff authorises, and until
// when.
type Authorisations struct{}

// Name returns the permanent name.
func (Authorisations) Name() string { return "authorisations.v1" }

// Project keeps a row for each authorisation until it is revoked. Expired rows stay:
// readers compare the time.
func (Authorisations) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case authorisation.Granted:
		do(`INSERT INTO authorisations (tenant, application, staff, patient, expires_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (tenant, application, staff, patient) DO UPDATE SET expires_at = excluded.expires_at`,
			r.Stream.Tenant, e.Application, e.Staff, e.Patient, e.ExpiresAt)
	case authorisation.Revoked:
		do(`DELETE FROM authorisations WHERE tenant = $1 AND application = $2 AND staff = $3 AND patient = $4`,
			r.Stream.Tenant, e.Application, e.Staff, e.Patient)
	case patient.Erased:
		do(`DELETE FROM authorisations WHERE tenant = $1 AND patient = $2`, r.Stream.Tenant, e.Patient)
	}
}
