package postgres

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/domain/event"
)

// markOfPatient marks the events of those changes that need their patient.
func markOfPatient(events []written, changes []event.Change) {
	for _, change := range changes {
		for i, e := range events {
			events[i].ofPatient = e.ofPatient || change.OfPatient && change.Stream == e.Stream
		}
	}
}

// durably begins the batch of an append. Its commit waits for the disk, and for
// synchronous standbys. Postgres refuses it before anything is written, and so before a
// position is drawn, if a patient is missing whom the practice must have.
func durably(events []written) *pgx.Batch {
	batch := &pgx.Batch{}
	if tenants, patients := needed(events); len(patients) > 0 {
		batch.Queue(durablyOfPatients, tenants, patients)
	} else {
		batch.Queue(`SELECT commit_safely()`)
	}
	return batch
}

// One plan serves any number of patients. With unnest, Postgres would plan it each time.
const (
	missing = `
	FROM generate_subscripts($1::text[], 1) AS n
	WHERE (SELECT p.patient FROM patients p WHERE p.tenant = ($1::text[])[n] AND p.patient = ($2::uuid[])[n]) IS NULL`

	durablyOfPatients = `SELECT commit_safely(), (SELECT count(*)` + missing + `)::patients_missing`
	whoIsMissing      = `SELECT ($2::uuid[])[n]` + missing
)

// needed returns the patients whom the events need, each with its practice.
func needed(events []written) (tenants []string, patients pgtype.FlatArray[pgtype.UUID]) {
	for _, e := range events {
		if e.ofPatient {
			tenants, patients = append(tenants, e.Stream.Tenant), append(patients, idOrNull(e.Patient))
		}
	}
	return tenants, patients
}

func nullable(id *uuid.UUID) pgtype.UUID {
	if id == nil {
		return pgtype.UUID{}
	}
	return pgtype.UUID{Bytes: *id, Valid: true}
}

// sift returns the members of a refused group whose patients are there. The others fly
// alone, and are told. Otherwise one caller who names patients whom nobody knows could
// have every group fall apart.
func (s *Store) sift(group []*member) (stay []*member) {
	ctx, cancel := context.WithTimeout(context.Background(), callerLimit)
	defer cancel()
	tenants, patients := needed(eventsOf(group))
	rows, _ := s.DB.Query(ctx, whoIsMissing, tenants, patients)
	gone, err := pgx.CollectRows(rows, pgx.RowTo[pgtype.UUID])
	if err != nil {
		return group // it is refused again, and all fly alone
	}
	for _, m := range group {
		if m.needs(gone) {
			m.outcome <- errApart
		} else {
			stay = append(stay, m)
		}
	}
	return stay
}

// needs reports whether an append needs one of the patients. One of the same id in another
// practice flies alone with it, which does no harm.
func (m *member) needs(missing []pgtype.UUID) bool {
	return slices.ContainsFunc(m.events, func(e written) bool {
		return e.ofPatient && slices.Contains(missing, idOrNull(e.Patient))
	})
}
