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

// names are what the people and places of an event are called when it is told.
// They are never stored with a delivery.
type names struct {
	userName, userEmail *string // nil if nobody can be named
	patient, site       string
	room                *string // nil if no room is assigned
	missing             bool    // somebody or something of the event is gone
}

// asking queues the questions after the names of an event.
type asking func(n *names, questions *pgx.Batch, e event.Recorded)

// lookUp finds the names for all deliveries in one round trip.
func (s *Sender) lookUp(ctx context.Context, deliveries []delivery) error {
	if err := s.open(ctx, deliveries); err != nil {
		return fmt.Errorf("look up names: %w", err)
	}
	questions := namesOf(deliveries)
	if questions.Len() == 0 {
		return nil
	}
	if err := s.DB.SendBatch(ctx, questions).Close(); err != nil {
		return fmt.Errorf("look up names: %w", err)
	}
	return nil
}

// open opens what is personal in the events of deliveries.
func (s *Sender) open(ctx context.Context, deliveries []delivery) error {
	var sealed []*delivery
	var stored []event.Stored
	for i := range deliveries {
		if d := &deliveries[i]; d.tellable && d.stored.Sealed != nil {
			sealed, stored = append(sealed, d), append(stored, d.stored)
		}
	}
	opened, err := s.Opens.Open(ctx, stored)
	for i, e := range opened {
		sealed[i].event = e
	}
	return err
}

// namesOf asks once for each event, however many destinations are told of it.
func namesOf(deliveries []delivery) *pgx.Batch {
	questions, known := &pgx.Batch{}, map[uuid.UUID]*names{}
	for i := range deliveries {
		d := &deliveries[i]
		if !d.tellable {
			continue
		}
		if d.names = known[d.event.ID]; d.names == nil {
			d.names = &names{}
			known[d.event.ID] = d.names
			d.notice.names(d.names, questions, d.event)
		}
	}
	return questions
}

func nobody(*names, *pgx.Batch, event.Recorded) {}

// whoActed names the member of staff who acted, in person or through an application,
// the one for whom an operator did, or the practitioner of an act claim. It names
// nobody for an application or an operator that acted by itself, and nobody for staff
// who cannot be found.
func whoActed(n *names, questions *pgx.Batch, e event.Recorded) {
	by := e.Metadata.Actor
	member := by.Member()
	switch {
	case member != uuid.Nil:
		questions.Queue(`SELECT name, email FROM staff WHERE tenant = $1 AND staff = $2`, e.Stream.Tenant, member).
			QueryRow(func(row pgx.Row) error {
				err := row.Scan(&n.userName, &n.userEmail)
				if errors.Is(err, pgx.ErrNoRows) {
					return nil
				}
				return err
			})
	case by.OnBehalfOf != nil:
		n.userName, n.userEmail = &by.OnBehalfOf.Practitioner.Name, &by.OnBehalfOf.Practitioner.Email
	}
}

// callInNames finds no room for the identifier 00000000-…, which means that none is
// assigned.
const callInNames = `
SELECT p.name, s.name, r.name
FROM patients p JOIN sites s ON s.tenant = p.tenant AND s.site = $3
LEFT JOIN rooms r ON r.tenant = p.tenant AND r.site = s.site AND r.room = $4
WHERE p.tenant = $1 AND p.patient = $2`

// whoIsCalledIn names the patient and where they are expected. If either is
// gone, this one delivery cannot be built; the others are not held up.
func whoIsCalledIn(c appointment.CalledIn) asking {
	return func(n *names, questions *pgx.Batch, e event.Recorded) {
		questions.Queue(callInNames, e.Stream.Tenant, c.Patient, c.Site, c.Room).QueryRow(func(row pgx.Row) error {
			err := row.Scan(&n.patient, &n.site, &n.room)
			if errors.Is(err, pgx.ErrNoRows) {
				n.missing = true
				return nil
			}
			return err
		})
	}
}
