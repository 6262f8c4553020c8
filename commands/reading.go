package commands

import (
	"context"

	"frontdesk/domain/audit"
	"frontdesk/domain/event"
)

// RecordReading is that somebody is about to be shown what Queried describes.
type RecordReading struct {
	Tenant string
	audit.Queried
}

// RecordReading names the actor of the context. If it fails, show nothing. Auditors do not
// come this way: the database records theirs, under the name that it knows them by.
func (d Desk) RecordReading(ctx context.Context, c RecordReading) error {
	return d.begin(ctx, event.Stream{Tenant: c.Tenant, ID: event.NewID()}, c.Queried)
}
