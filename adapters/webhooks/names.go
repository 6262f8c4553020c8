package webhooks

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
)

// names is what the people and places of an event are called when it is told.
// They are never stored with a delivery.
type names struct {
	userName, userEmail *string // who acted; nil when nobody can be named (D33)
	patient, site       string
	room                *string // nil when no room is assigned
	missing             bool    // somebody or something of the event is gone
}

const (
	staffNames = `SELECT name, email FROM staff WHERE tenant = $1 AND staff = $2`
	// No room has the identifier 00000000-….
	callInNames = `
SELECT p.name, s.name, r.name
FROM patients p JOIN sites s ON s.tenant = p.tenant AND s.site = $3
LEFT JOIN rooms r ON r.tenant = p.tenant AND r.site = s.site AND r.room = $4
WHERE p.tenant = $1 AND p.patient = $2`
)

// lookUp finds the names for all dispatches in one round trip.
func lookUp(ctx context.Context, db sender, batch []dispatch) error {
	var questions pgx.Batch
	for i := range batch {
		batch[i].names.ask(&questions, batch[i].recorded)
	}
	if questions.Len() == 0 {
		return nil
	}
	if err := db.SendBatch(ctx, &questions).Close(); err != nil {
		return fmt.Errorf("look up names: %w", err)
	}
	return nil
}

func (n *names) ask(questions *pgx.Batch, e event.Recorded) {
	switch told := e.Event.(type) {
	case appointment.CallInRemoved: // names nobody
	case appointment.CalledIn:
		questions.Queue(callInNames, e.Stream.Tenant, told.Patient, told.Site, told.Room).
			QueryRow(func(row pgx.Row) error { return n.gone(row.Scan(&n.patient, &n.site, &n.room)) })
	default:
		n.askUser(questions, e.Stream.Tenant, e.Metadata.Actor)
	}
}

// askUser names the member of staff who acted, in person or through an
// application, or the practitioner of an act claim (§6.2).
func (n *names) askUser(questions *pgx.Batch, tenant string, by event.Actor) {
	id, err := uuid.Parse(by.ID)
	switch {
	case by.Kind == event.ByStaff && err == nil:
		questions.Queue(staffNames, tenant, id).QueryRow(func(row pgx.Row) error {
			err := row.Scan(&n.userName, &n.userEmail)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil // nobody that can be named
			}
			return err
		})
	case by.OnBehalfOf != nil:
		n.userName, n.userEmail = &by.OnBehalfOf.Practitioner.Name, &by.OnBehalfOf.Practitioner.Email
	}
}

// gone turns the absence of a row into something to be said of one delivery,
// not of all that were claimed with it.
func (n *names) gone(err error) error {
	n.missing = errors.Is(err, pgx.ErrNoRows)
	if n.missing {
		return nil
	}
	return err
}
