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

// Timeline keeps what happened to each patient, when, and who did it. It follows the
// feed. What was written stays in the events.
type Timeline struct{ DB Querier }

// Happening is one entry of the [Timeline].
type Happening struct {
	Idx   int64 // its place in the log
	Kind  Kind
	Entry uuid.UUID // the note, request, consultation or opening of the record
	Actor string    // as the audit log shows it: "staff:018f…"
	At    time.Time
}

// Kind says what sort of entry a [Happening] is.
type Kind string

// The kinds.
const (
	KindNote         Kind = "note"
	KindRequest      Kind = "patient-request"
	KindConsultation Kind = "consultation"
	KindRecordOpened Kind = "record-opened"
	KindGlassBroken  Kind = "glass-broken"

	KindRequestOpened    Kind = "patient-request-opened" // or a file of it
	KindRequestCompleted Kind = "patient-request-completed"
	KindRequestReopened  Kind = "patient-request-reopened"

	// A request was found to be another patient's. Both of them have this entry. All others
	// of the request go with it.
	KindRequestReLinked Kind = "patient-request-re-linked"

	// A note or a request was marked as one that should not have been made.
	KindEnteredInError Kind = "entered-in-error"
)

// Name returns the permanent name, under which the feed keeps its offset.
func (Timeline) Name() string { return "timeline.v1" }

// Follows returns the types of events that Project has a statement for.
func (Timeline) Follows() []event.Event {
	return []event.Event{record.NoteCreated{}, request.Submitted{}, consultation.Started{}, record.CareRecordOpened{}, record.GlassBroken{},
		record.NoteEnteredInError{}, request.EnteredInError{}, request.Opened{}, request.AttachmentOpened{}, request.Completed{},
		request.Reopened{}, request.ReLinked{}, patient.Erased{}}
}

// Project adds a row for each event that belongs in a patient's timeline, which goes with
// the patient.
func (Timeline) Project(r event.Recorded, do func(sql string, args ...any)) {
	if e, erased := r.Event.(patient.Erased); erased {
		do(`DELETE FROM timeline WHERE tenant = $1 AND patient = $2`, r.Stream.Tenant, e.Patient)
		return
	}
	kind, happened := kindOf(r.Event)
	if !happened {
		return
	}
	add := func(about, entry uuid.UUID) {
		do(`INSERT INTO timeline (tenant, patient, idx, kind, entry, actor, at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			r.Stream.Tenant, about, r.Idx, string(kind), entry, r.Metadata.Actor.String(), r.At)
	}
	if e, moved := r.Event.(request.ReLinked); moved {
		do(moveEntries, r.Stream.Tenant, r.Stream.ID, e.Former, e.Patient, string(KindRequestReLinked))
		add(e.Former.UUID, r.Stream.ID)
	}
	add(r.Event.(event.Patient).PatientID(), entryIn(r))
}

// moveEntries has the entries of a request go with it to another patient.
const moveEntries = `UPDATE timeline SET patient = $4 WHERE tenant = $1 AND patient = $3 AND entry = $2 AND kind <> $5`

// entryIn returns what an event is an entry of. An opening of a request is the request's.
func entryIn(r event.Recorded) uuid.UUID {
	switch e := r.Event.(type) {
	case request.Opened:
		return e.Request.UUID
	case request.AttachmentOpened:
		return e.Request.UUID
	}
	return r.Stream.ID
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
	case request.Opened, request.AttachmentOpened:
		return KindRequestOpened, true
	case request.Completed:
		return KindRequestCompleted, true
	case request.Reopened:
		return KindRequestReopened, true
	case request.ReLinked:
		return KindRequestReLinked, true
	case record.GlassBroken:
		return KindGlassBroken, true
	case record.NoteEnteredInError, request.EnteredInError:
		return KindEnteredInError, true
	}
	return "", false
}

// OfPatient lists at most limit entries of a patient before an idx, newest first. A
// zero idx begins with the newest entry.
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
