package projections

import (
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

// Practices is the tenants and their settings.
type Practices struct{}

// Name implements [Projection].
func (Practices) Name() string { return "practices.v1" }

// Project implements [Projection].
func (Practices) Project(r event.Recorded, do func(sql string, args ...any)) {
	if e, ok := r.Event.(practice.Registered); ok {
		do(`INSERT INTO practices (tenant, name, time_zone) VALUES ($1, $2, $3)`, r.Stream.Tenant, e.Name, e.TimeZone)
	}
}
