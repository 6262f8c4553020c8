package eventstore

import (
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/adapters/postgres"
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
// synchronous standbys. If a needed patient is missing, Postgres refuses it before anything
// is written, and so before a position is drawn. Plans do not depend on how long arrays are,
// or on a table having been empty when they were made.
func durably(events []written) *pgx.Batch {
	batch := &pgx.Batch{}
	if tenants, patients, _ := needed(events); len(patients) > 0 {
		batch.Queue(durablyOfPatients, tenants, patients)
	} else {
		batch.Queue(`SELECT commit_safely(), ` + planOnce)
	}
	return batch
}

const (
	planOnce = `set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)`

	missing = ` FROM generate_subscripts($1::text[], 1) AS n
	WHERE (SELECT p.patient FROM patients p WHERE p.tenant = ($1::text[])[n] AND p.patient = ($2::uuid[])[n]) IS NULL`

	durablyOfPatients     = `SELECT commit_safely(), ` + planOnce + `, (SELECT count(*)` + missing + `)::patients_missing`
	membersWithoutPatient = `SELECT DISTINCT ($3::int[])[n]` + missing
)

// needed returns the patients that the events need, each with its practice and the index of
// the append.
func needed(events []written) (tenants []string, patients pgtype.FlatArray[pgtype.UUID], members []int32) {
	for _, e := range events {
		if e.ofPatient {
			tenants, patients, members = append(tenants, e.Stream.Tenant), append(patients, postgres.IDOrNull(e.Patient)), append(members, e.member)
		}
	}
	return tenants, patients, members
}
