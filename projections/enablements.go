package projections

import (
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

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
