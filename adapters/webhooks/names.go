package webhooks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// names are the current names of the people and places of an event. They are never
// stored with a delivery.
type names struct {
	userName, userEmail *string // nil if there is no name
	patient, site       string
	room                *string // nil if no room is assigned
	missing             bool    // a person or place of the event is gone

	sealed []sealed // events with names that must be opened first
}

// sealed is an event that holds names.
type sealed struct {
	event.Stored
	opened func(event.Recorded) // reads the names
}

// asking queues the queries for the names of an event.
type asking func(n *names, questions *pgx.Batch, d *delivery)

// lookUp finds the names for all deliveries in one round trip, and fetches all missing
// keys in another.
func (s *Sender) lookUp(ctx context.Context, deliveries []delivery) error {
	questions, all := namesOf(deliveries)
	if questions.Len() > 0 {
		if err := s.DB.SendBatch(ctx, questions).Close(); err != nil {
			return fmt.Errorf("look up names: %w", err)
		}
	}
	if err := s.open(ctx, all); err != nil {
		return fmt.Errorf("open names: %w", err)
	}
	return nil
}

// open opens the events that hold names. An event whose key is lost blocks no other
// delivery.
func (s *Sender) open(ctx context.Context, all []*names) error {
	var stored []event.Stored
	for _, n := range all {
		for _, e := range n.sealed {
			stored = append(stored, e.Stored)
		}
	}
	events, failed, err := s.Opens.OpenEach(ctx, stored)
	if err != nil {
		return err
	}
	at := 0
	for _, n := range all {
		for _, e := range n.sealed {
			s.take(ctx, n, e, events[at], failed[at])
			at++
		}
	}
	return nil
}

func (s *Sender) take(ctx context.Context, n *names, e sealed, opened event.Recorded, failed error) {
	if failed != nil {
		s.Log.ErrorContext(ctx, "cannot build a webhook: its names cannot be decrypted", slog.Any("error", failed))
		n.missing = true
		return
	}
	e.opened(opened)
}

// namesOf queries once for each event, however many destinations it has.
func namesOf(deliveries []delivery) (questions *pgx.Batch, all []*names) {
	questions, known := &pgx.Batch{}, map[uuid.UUID]*names{}
	for i := range deliveries {
		d := &deliveries[i]
		if !d.hasNotice {
			continue
		}
		if d.names = known[d.event.ID]; d.names == nil {
			d.names = &names{}
			known[d.event.ID], all = d.names, append(all, d.names)
			d.notice.names(d.names, questions, d)
		}
	}
	return questions, all
}

func noNames(*names, *pgx.Batch, *delivery) {}

// lookUpActor sets the name of the member of staff who acted, in person or through an
// application, or on whose behalf an operator acted, or of the practitioner of an act
// claim. It sets none for an application or an operator in its own right, or for a
// person who is missing or erased.
func lookUpActor(n *names, questions *pgx.Batch, d *delivery) {
	by := d.event.Metadata.Actor
	member := by.Member()
	switch {
	case member != uuid.Nil:
		questions.Queue(`SELECT name, email FROM staff WHERE tenant = $1 AND staff = $2`, d.event.Stream.Tenant, member).
			QueryRow(func(row pgx.Row) error {
				var name, email string
				err := row.Scan(&name, &email)
				if errors.Is(err, pgx.ErrNoRows) {
					return nil
				}
				if err != nil {
					return err
				}
				n.actedBy(name, email)
				return nil
			})
	case by.OnBehalfOf != nil:
		n.sealed = append(n.sealed, sealed{d.stored, func(e event.Recorded) {
			p := e.Metadata.Actor.OnBehalfOf.Practitioner
			n.actedBy(p.Name, p.Email)
		}})
	}
}

// actedBy decides by the email: an application may name a person "[personal]", but that
// is no email address. Values that could not be opened are left out: a placeholder
// would look like a name.
func (n *names) actedBy(name, email string) {
	switch email {
	case event.Hidden:
		n.missing = true
	case event.Erased:
	default:
		n.userName, n.userEmail = &name, &email
	}
}

// calledInPlace finds no room for the identifier 00000000-…, which means that no room
// is assigned.
const calledInPlace = `
SELECT s.name, r.name
FROM sites s LEFT JOIN rooms r ON r.tenant = s.tenant AND r.site = s.site AND r.room = $3
WHERE s.tenant = $1 AND s.site = $2`

// lookUpCalledIn looks up the patient's name and the place. If either is gone, this
// delivery cannot be built; it does not block the others.
func lookUpCalledIn(c appointment.CalledIn) asking {
	return func(n *names, questions *pgx.Batch, d *delivery) {
		tenant := d.event.Stream.Tenant
		questions.Queue(calledInPlace, tenant, c.Site, c.Room).QueryRow(func(row pgx.Row) error {
			err := row.Scan(&n.site, &n.room)
			if errors.Is(err, pgx.ErrNoRows) {
				n.missing = true
				return nil
			}
			return err
		})
		sql, args := projections.AskNames(tenant, c.Patient)
		questions.Queue(sql, args...).Query(func(rows pgx.Rows) error {
			found, err := projections.ScanStored(rows, tenant)
			n.missing = n.missing || len(found) == 0
			for _, e := range found {
				n.sealed = append(n.sealed, sealed{e, n.calledIn})
			}
			return err
		})
	}
}

// calledIn reads the patient's name from the event that sets it.
func (n *names) calledIn(e event.Recorded) {
	name, _ := projections.NameIn(e)
	n.patient = name.Name
	n.missing = n.missing || n.patient == event.Hidden || n.patient == event.Erased
}
