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

// names are what the people and places of an event are called when it is told.
// They are never stored with a delivery.
type names struct {
	userName, userEmail *string // nil if nobody can be named
	patient, site       string
	room                *string // nil if no room is assigned
	missing             bool    // somebody or something of the event is gone

	sealed []sealed // what has to be opened first
}

// sealed is an event that holds names.
type sealed struct {
	event.Stored
	opened func(event.Recorded) // takes the names out of it
}

// asking queues the questions after the names of an event that is told.
type asking func(n *names, questions *pgx.Batch, d *delivery)

// lookUp finds the names for all deliveries in one round trip, and asks for all keys
// that are not known in another one.
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

// open opens what holds names. An event that cannot be opened, because its key is lost,
// holds up no other delivery.
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
		s.Log.ErrorContext(ctx, "a webhook cannot be built, because who is named in it cannot be opened", slog.Any("error", failed))
		n.missing = true
		return
	}
	e.opened(opened)
}

// namesOf asks once for each event, however many destinations are told of it.
func namesOf(deliveries []delivery) (questions *pgx.Batch, all []*names) {
	questions, known := &pgx.Batch{}, map[uuid.UUID]*names{}
	for i := range deliveries {
		d := &deliveries[i]
		if !d.tellable {
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

func nobody(*names, *pgx.Batch, *delivery) {}

// whoActed names the member of staff who acted, in person or through an application,
// the one for whom an operator did, or the practitioner of an act claim. It names
// nobody for an application or an operator that acted by itself, and nobody for those who
// cannot be found or were erased.
func whoActed(n *names, questions *pgx.Batch, d *delivery) {
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

// actedBy goes by the e-mail: an application may call anybody "[personal]", but that is no
// address. What could not be opened is not told: it would look like a name.
func (n *names) actedBy(name, email string) {
	switch email {
	case event.Hidden:
		n.missing = true
	case event.Erased:
	default:
		n.userName, n.userEmail = &name, &email
	}
}

// calledInWhere finds no room for the identifier 00000000-…, which means that none is
// assigned.
const calledInWhere = `
SELECT s.name, r.name
FROM sites s LEFT JOIN rooms r ON r.tenant = s.tenant AND r.site = s.site AND r.room = $3
WHERE s.tenant = $1 AND s.site = $2`

// whoIsCalledIn names the patient and where they are expected. If either is
// gone, this one delivery cannot be built; the others are not held up.
func whoIsCalledIn(c appointment.CalledIn) asking {
	return func(n *names, questions *pgx.Batch, d *delivery) {
		tenant := d.event.Stream.Tenant
		questions.Queue(calledInWhere, tenant, c.Site, c.Room).QueryRow(func(row pgx.Row) error {
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

// calledIn names the patient by the event that says what they are called.
func (n *names) calledIn(e event.Recorded) {
	name, _ := projections.NameIn(e)
	n.patient = name.Name
	n.missing = n.missing || n.patient == event.Hidden || n.patient == event.Erased
}
