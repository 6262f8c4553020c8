package projections

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/catalogue"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

// Timeline keeps the kind, time and actor of the events of each patient. It follows the
// feed. Texts stay in the events.
type Timeline struct{ DB Querier }

// TimelineEntry is one entry of the [Timeline].
type TimelineEntry struct {
	Idx   int64 // its place in the log
	Kind  catalogue.Kind
	Entry uuid.UUID // the note, request, consultation or opening of the record
	Actor string    // as the audit log shows it: "staff:018f…"
	At    time.Time
}

// Name returns the permanent name, under which the feed keeps its offset.
func (Timeline) Name() string { return "timeline.v1" }

// Follows returns the types of events that Project has a statement for.
func (Timeline) Follows() []event.Event {
	entries := catalogue.Events(catalogue.Row.HasEntry)
	return append(entries, patient.Erased{})
}

// Project adds a row for each event that makes an entry in a patient's timeline.
// The rows are deleted with the patient.
func (Timeline) Project(r event.Recorded, do func(sql string, args ...any)) {
	if e, erased := r.Event.(patient.Erased); erased {
		do(`DELETE FROM timeline WHERE tenant = $1 AND patient = $2`, r.Stream.Tenant, e.Patient)
		return
	}
	kind := catalogue.Find(r.EventName()).Timeline
	if kind == "" {
		return
	}
	add := func(about, entry uuid.UUID) {
		do(addHappenings, row(r.Stream.Tenant, about, r.Idx, string(kind), entry, r.Metadata.Actor.String(), r.At)...)
	}
	if e, moved := r.Event.(event.Moved); moved {
		do(moveEntries, r.Stream.Tenant, r.Stream.ID, e.FormerPatientID(), e.PatientID(), string(kind))
		add(e.FormerPatientID(), r.Stream.ID)
	}
	add(r.About(), entryIn(r))
}

const addHappenings = `
INSERT INTO timeline (tenant, patient, idx, kind, entry, actor, at)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::text[], $5::uuid[], $6::text[], $7::timestamptz[])`

// moveEntries moves the entries of a request to another patient.
const moveEntries = `UPDATE timeline SET patient = $4 WHERE tenant = $1 AND patient = $3 AND entry = $2 AND kind <> $5`

// entryIn returns the entry that an event belongs to. An opening of a request belongs
// to the request.
func entryIn(r event.Recorded) uuid.UUID {
	switch e := r.Event.(type) {
	case request.Opened:
		return e.Request.UUID
	case request.AttachmentOpened:
		return e.Request.UUID
	}
	return r.Stream.ID
}

// OfPatient lists at most limit entries of a patient before an idx, newest first. A
// zero idx begins with the newest entry.
func (t Timeline) OfPatient(ctx context.Context, tenant string, id patient.ID, before int64, limit int) ([]TimelineEntry, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	rows, _ := t.DB.Query(ctx, `
		SELECT idx, kind, entry, actor, at FROM timeline
		WHERE tenant = $1 AND patient = $2 AND idx < $3 ORDER BY idx DESC LIMIT $4`, tenant, id, before, limit)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[TimelineEntry])
	if err != nil {
		return nil, fmt.Errorf("read timeline: %w", err)
	}
	return found, nil
}
