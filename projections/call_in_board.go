package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/site"
)

// CallInBoard is who is called in, and where to: the board in the waiting
// room. It follows the log.
type CallInBoard struct{ DB Querier }

// CallIn is one line of the board.
type CallIn struct {
	Appointment appointment.ID
	PatientName string
	RoomName    string // "" when no room is assigned
	CalledInAt  time.Time
}

// Name implements [Projection].
func (CallInBoard) Name() string { return "call-in-board.v1" }

// Follows implements [Follower].
func (CallInBoard) Follows() []event.Event {
	return []event.Event{appointment.CalledIn{}, appointment.CallInRemoved{}}
}

// Project implements [Projection].
func (CallInBoard) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case appointment.CalledIn:
		do(`INSERT INTO call_ins (tenant, appointment, patient, site, room, called_in_at) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (tenant, appointment) DO UPDATE SET room = excluded.room, called_in_at = excluded.called_in_at`,
			r.Stream.Tenant, e.Appointment, e.Patient, e.Site, idOrNull(e.Room.UUID), e.CalledInAt)
	case appointment.CallInRemoved:
		do(`DELETE FROM call_ins WHERE tenant = $1 AND appointment = $2`, r.Stream.Tenant, e.Appointment)
	}
}

// Showing lists a site's call-ins since an instant, newest first: since the
// practice's midnight, they are today's.
func (b CallInBoard) Showing(ctx context.Context, tenant string, at site.ID, since time.Time) ([]CallIn, error) {
	rows, _ := b.DB.Query(ctx, `
		SELECT c.appointment, p.name, coalesce(r.name, ''), c.called_in_at
		FROM call_ins c
		JOIN patients p ON p.tenant = c.tenant AND p.patient = c.patient
		LEFT JOIN rooms r ON r.tenant = c.tenant AND r.room = c.room
		WHERE c.tenant = $1 AND c.site = $2 AND c.called_in_at >= $3 ORDER BY c.called_in_at DESC, c.appointment`,
		tenant, at, since)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[CallIn])
	if err != nil {
		return nil, fmt.Errorf("read call-in board: %w", err)
	}
	return found, nil
}
