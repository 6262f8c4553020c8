package history

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Accesses reads the accesses to a patient's data, and the openings of restricted
// records with a reason. It has no table of its own: it reads the events.
type Accesses struct {
	DB    projections.Querier
	Opens projections.Opener
}

// PatientEvent is one event about a patient, without its values.
type PatientEvent struct {
	Idx   int64 // its place in the log
	Event uuid.UUID
	Name  string      // stored name
	Actor event.Actor // with the name of a practitioner hidden
	At    time.Time
}

// PatientEvents selects events about a patient. A zero field lets all events pass.
type PatientEvents struct {
	Tenant      string // needed
	Patient     patient.ID
	Names       []string // stored names
	By          staff.ID // the actor, or the member that an operator acted for
	From, Until time.Time
	Before      int64 // only events before this idx
	Most        int   // needed
}

// eventsOfPatient reads by the index of events by patient. It decrypts nothing, so its
// duration does not depend on the size of patients' texts.
const eventsOfPatient = `
SELECT l.idx, e.id, e.name, e.metadata, e.recorded_at FROM events e JOIN log l USING (position)
WHERE e.patient = $1 AND e.tenant = $2 AND e.position < coalesce((SELECT position FROM log WHERE idx = $3), $4)
	AND ($5::text[] IS NULL OR e.name = ANY($5))
	AND ($6 = '' OR $6 IN (e.metadata::jsonb #>> '{actor,id}', e.metadata::jsonb #>> '{actor,for}'))
	AND ($7::timestamptz IS NULL OR e.recorded_at >= $7) AND ($8::timestamptz IS NULL OR e.recorded_at < $8)
ORDER BY e.position DESC LIMIT $9`

// OfPatient lists events about a patient, newest first.
func (h Accesses) OfPatient(ctx context.Context, f PatientEvents) ([]PatientEvent, error) {
	by := ""
	if f.By.UUID != uuid.Nil {
		by = f.By.String()
	}
	rows, _ := h.DB.Query(ctx, eventsOfPatient, pgx.QueryExecModeCacheDescribe,
		f.Patient, f.Tenant, f.Before, int64(math.MaxInt64), f.Names, by,
		pgtype.Timestamptz{Time: f.From, Valid: !f.From.IsZero()}, pgtype.Timestamptz{Time: f.Until, Valid: !f.Until.IsZero()}, f.Most)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (found PatientEvent, err error) {
		var metadata []byte
		if err := row.Scan(&found.Idx, &found.Event, &found.Name, &metadata, &found.At); err != nil {
			return found, err
		}
		m, err := event.ParseMetadata(metadata)
		found.Actor = m.Actor
		return found, err
	})
	if err != nil {
		return nil, fmt.Errorf("read a patient's access history: %w", err)
	}
	return found, nil
}

// BreakGlassAccess is the opening of a restricted record with a reason.
type BreakGlassAccess struct {
	Event     uuid.UUID
	Patient   patient.ID
	Staff     staff.ID
	At, Until time.Time
	Reason    string
}

const breakGlassAccesses = `
SELECT event, patient, staff, broken_at, until, '' FROM broken_glass
WHERE tenant = $1 AND ($2::uuid IS NULL OR (broken_at, event) < (SELECT broken_at, event FROM broken_glass WHERE tenant = $1 AND event = $2))
ORDER BY broken_at DESC, event DESC LIMIT $3`

// BreakGlass lists at most the given number of openings of the practice's restricted
// records with a reason, newest first, before that of an event; a zero event begins
// with the newest.
func (h Accesses) BreakGlass(ctx context.Context, tenant string, before uuid.UUID, most int) ([]BreakGlassAccess, error) {
	rows, _ := h.DB.Query(ctx, breakGlassAccesses, pgx.QueryExecModeCacheDescribe, tenant, uuid.NullUUID{UUID: before, Valid: before != uuid.Nil}, most)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[BreakGlassAccess])
	if err != nil {
		return nil, fmt.Errorf("list broken glass: %w", err)
	}
	return found, h.reasons(ctx, tenant, found)
}

const breakGlassEvents = `
SELECT e.id, e.stream, e.version, e.name, e.data, e.metadata, e.sealed, e.recorded_at
FROM unnest($2::uuid[], $3::uuid[]) AS w (id, stream)
CROSS JOIN LATERAL (SELECT * FROM events WHERE stream = w.stream AND tenant = $1 AND id = w.id OFFSET 0) e`

// reasons decrypts the reason of each opening.
func (h Accesses) reasons(ctx context.Context, tenant string, of []BreakGlassAccess) error {
	if len(of) == 0 {
		return nil
	}
	var ids, streams []uuid.UUID
	for _, b := range of {
		ids, streams = append(ids, b.Event), append(streams, record.GlassStreamOf(tenant, b.Patient, b.Staff).ID)
	}
	rows, _ := h.DB.Query(ctx, breakGlassEvents, tenant, ids, streams)
	stored, err := projections.ScanStored(rows, tenant)
	if err != nil {
		return fmt.Errorf("read why a record was opened: %w", err)
	}
	opened, err := h.Opens.Open(ctx, stored)
	if err != nil {
		return fmt.Errorf("open why a record was opened: %w", err)
	}
	why := map[uuid.UUID]string{}
	for _, r := range opened {
		if broken, ok := r.Event.(record.GlassBroken); ok {
			why[r.ID] = broken.Reason
		}
	}
	for n := range of {
		of[n].Reason = why[of[n].Event]
	}
	return nil
}
