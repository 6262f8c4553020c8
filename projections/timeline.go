package projections

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
)

// Timeline is what happened to each patient, by whom and when. It follows the
// log; what was written stays there.
type Timeline struct{ DB Querier }

// Kind is the sort of an entry of the [Timeline].
type Kind string

// The kinds.
const (
	KindNote         Kind = "note"
	KindRequest      Kind = "patient-request"
	KindConsultation Kind = "consultation"
	KindRecordOpened Kind = "record-opened"
)

// Happening is one entry of the [Timeline].
type Happening struct {
	Idx   int64 // its place in the log
	Kind  Kind
	Entry uuid.UUID // the note, request, consultation or opening
	Actor string    // as the audit log shows it: "staff:018f…"
	At    time.Time
}

// Name implements [Projection].
func (Timeline) Name() string { return "timeline.v1" }

// Follows implements [Follower].
func (Timeline) Follows() []event.Event {
	return []event.Event{record.NoteCreated{}, request.Submitted{}, consultation.Started{}, record.CareRecordOpened{}}
}

// Project implements [Projection].
func (Timeline) Project(r event.Recorded, do func(sql string, args ...any)) {
	kind, happened := kindOf(r.Event)
	if !happened {
		return
	}
	do(`INSERT INTO timeline (tenant, patient, idx, kind, entry, actor, at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		r.Stream.Tenant, r.Event.(event.Patient).PatientID(), r.Idx, string(kind), r.Stream.ID, r.Metadata.Actor.String(), r.At)
}

func kindOf(e event.Event) (kind Kind, happened bool) {
	switch e.(type) {
	case record.NoteCreated:
		return KindNote, true
	case request.Submitted:
		return KindRequest, true
	case consultation.Started:
		return KindConsultation, true
	case record.CareRecordOpened:
		return KindRecordOpened, true
	}
	return "", false
}

// OfPatient lists what happened to a patient before an idx, newest first, at
// most limit. A zero idx means the newest there are.
func (t Timeline) OfPatient(ctx context.Context, tenant string, id patient.ID, before int64, limit int) ([]Happening, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	rows, _ := t.DB.Query(ctx, `
		SELECT idx, kind, entry, actor, at FROM timeline
		WHERE tenant = $1 AND patient = $2 AND idx < $3 ORDER BY idx DESC LIMIT $4`, tenant, id, before, limit)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Happening])
	if err != nil {
		return nil, fmt.Errorf("read timeline: %w", err)
	}
	return found, nil
}
