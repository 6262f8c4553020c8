package projections

import (
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
)

// Authorisations is who lets which application act for them, and until when
// (§5.4, §5.5).
type Authorisations struct{}

// Name implements [Projection].
func (Authorisations) Name() string { return "authorisations.v1" }

// Project implements [Projection].
func (Authorisations) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case authorisation.Granted:
		do(`INSERT INTO authorisations (tenant, application, staff, patient, expires_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (tenant, application, staff, patient) DO UPDATE SET expires_at = excluded.expires_at`,
			r.Stream.Tenant, e.Application, e.Staff, e.Patient, e.ExpiresAt)
	case authorisation.Revoked:
		do(`DELETE FROM authorisations WHERE tenant = $1 AND application = $2 AND staff = $3 AND patient = $4`,
			r.Stream.Tenant, e.Application, e.Staff, e.Patient)
	}
}
