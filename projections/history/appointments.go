package history

import (
	"context"
	"fmt"
	"slices"

	"frontdesk/domain/appointment"
	"frontdesk/projections"
)

// Appointments reads the histories of appointments.
type Appointments struct {
	DB    projections.Querier
	Opens projections.Opener
}

// mostHappened limits the history of an appointment to its newest events.
const mostHappened = 100

// Find returns the events of an appointment of a practice, oldest first.
func (a Appointments) Find(ctx context.Context, tenant string, id appointment.ID) ([]Entry, error) {
	rows, _ := a.DB.Query(ctx, `
		SELECT id, version, recorded_at, name, data, metadata, sealed FROM events
		WHERE stream = $1 AND tenant = $2 AND name LIKE 'appointment.%' ORDER BY version DESC LIMIT $3`, id, tenant, mostHappened)
	stored, err := scanStream(rows, appointment.StreamOf(tenant, id))
	if err != nil {
		return nil, fmt.Errorf("read an appointment: %w", err)
	}
	slices.Reverse(stored)
	events, err := a.Opens.Open(ctx, stored)
	if err != nil {
		return nil, fmt.Errorf("open an appointment: %w", err)
	}
	names, err := namesIn(ctx, a.DB, tenant, events)
	if err != nil {
		return nil, fmt.Errorf("read an appointment: %w", err)
	}
	history := make([]Entry, len(events))
	for n, e := range events {
		history[n] = entryOf(e, names)
	}
	return history, nil
}
