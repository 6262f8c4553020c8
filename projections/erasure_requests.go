package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// ErasureRequests keeps the patients whose erasure was requested, so that a second person
// finds them. It follows the feed. The patient's own stream decides whether a request
// still counts.
type ErasureRequests struct{ DB Querier }

// Name returns the permanent name, under which the feed keeps its offset.
func (ErasureRequests) Name() string { return "erasure-requests.v1" }

// Follows returns the types of events that Project has a statement for.
func (ErasureRequests) Follows() []event.Event {
	return []event.Event{patient.ErasureRequested{}, patient.ErasureWithdrawn{}, patient.Erased{}}
}

// Project keeps a row for each patient: only the newest request counts.
func (ErasureRequests) Project(r event.Recorded, do func(sql string, args ...any)) {
	remove := func(id patient.ID) {
		do(`DELETE FROM erasure_requests WHERE tenant = $1 AND patient = $2`, r.Stream.Tenant, id)
	}
	switch e := r.Event.(type) {
	case patient.ErasureRequested:
		do(`INSERT INTO erasure_requests (tenant, patient, erasure, asked_at, staff) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (tenant, patient) DO UPDATE SET erasure = excluded.erasure, asked_at = excluded.asked_at, staff = excluded.staff`,
			r.Stream.Tenant, e.Patient, e.Erasure, e.RequestedAt, idOrNull(e.RequestedBy.Member()))
	case patient.ErasureWithdrawn:
		remove(e.Patient)
	case patient.Erased:
		remove(e.Patient)
	}
}

// RequestedErasure is a patient whose erasure waits for a second person.
type RequestedErasure struct {
	Patient patient.ID
	Erasure erasure.ID
	AskedAt time.Time
	Staff   uuid.UUID // the first person; zero for an operator
}

// Waiting returns at most the given number of patients whose erasure can still be confirmed
// at an instant, the earliest request first. It begins after a request; the zero one is before
// all others.
func (q ErasureRequests) Waiting(ctx context.Context, tenant string, now time.Time, after RequestedErasure, most int) ([]RequestedErasure, error) {
	rows, _ := q.DB.Query(ctx, `SELECT patient, erasure, asked_at, coalesce(staff, '00000000-0000-0000-0000-000000000000') FROM erasure_requests
		WHERE tenant = $1 AND asked_at >= $2 AND (asked_at, patient) > ($3, $4) ORDER BY asked_at, patient LIMIT $5`,
		tenant, now.Add(-erasure.Latest), after.AskedAt, after.Patient, most)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[RequestedErasure])
	if err != nil {
		return nil, fmt.Errorf("list requests for an erasure: %w", err)
	}
	return found, nil
}
