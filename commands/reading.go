package commands

import (
	"context"

	"frontdesk/domain/audit"
	"frontdesk/domain/event"
)

// RecordReading records a query before its results are shown. Queried describes it.
type RecordReading struct {
	Tenant string
	audit.Queried
}

// RecordReading names the actor of the context. If it fails, show nothing. It is not
// for auditors: the database records their queries, under their database roles.
func (d Desk) RecordReading(ctx context.Context, c RecordReading) error {
	return d.begin(ctx, event.Stream{Tenant: c.Tenant, ID: event.NewID()}, c.Queried)
}
