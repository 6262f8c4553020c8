package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
)

// CareRecords keeps which notes, requests and consultations are in each patient's care
// record. Its rows only point to events: what was written stays there, sealed.
type CareRecords struct {
	DB    Querier
	Opens Opener
}

// CareRecord is a patient's care record.
type CareRecord struct {
	PatientName string
	BirthDate   string // 2006-01-02; "" if unknown
	Entries     []RecordEntry
	Complete    bool // false if older entries were left out
}

// RecordEntry is a note, a request or a consultation as it happened.
type RecordEntry struct {
	event.Event
	ID       uuid.UUID // of the note, request or consultation
	At       time.Time
	UserName string // the display name of whoever made it; "" if that is not known
}

// At most so much of one record is held in memory. The newest entry is always there,
// however long it is.
const (
	maxEntries     = 1000
	maxRecordBytes = 4 << 20
)

// longRecord is how many bytes are read of a record before it counts as a long one.
const longRecord = 64 << 10

// ErrLongRecord says that a record is a long one, and was not wanted.
var ErrLongRecord = errors.New("the care record is a long one")

// Name returns the permanent name.
func (CareRecords) Name() string { return "care-records.v1" }

// Project keeps a row for each entry of a care record.
func (CareRecords) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case record.NoteCreated:
		enter(r, e.Patient, do)
	case request.Submitted:
		enter(r, e.Patient, do)
	case consultation.Started:
		enter(r, e.Patient, do)
	case patient.Erased:
		do(`DELETE FROM record_entries WHERE tenant = $1 AND patient = $2`, r.Stream.Tenant, e.Patient)
	}
}

func enter(r event.Recorded, about patient.ID, do func(sql string, args ...any)) {
	var member *uuid.UUID
	if id := r.Metadata.Actor.Member(); id != uuid.Nil {
		member = &id
	}
	do(`INSERT INTO record_entries (tenant, patient, entry, staff, recorded_at) VALUES ($1, $2, $3, $4, $5)`,
		r.Stream.Tenant, about, r.Stream.ID, member, r.At)
}

// Of returns the care record of a patient, newest entries first, with at most 1,000
// entries and 4 MiB. It returns patient.ErrUnknown if the practice has no such
// patient, and [ErrLongRecord] instead of more than 64 KiB unless a long record is
// wanted.
func (c CareRecords) Of(ctx context.Context, tenant string, id patient.ID, long bool) (CareRecord, error) {
	names, err := Names(c).Of(ctx, tenant, id)
	if err != nil {
		return CareRecord{}, fmt.Errorf("read care record: %w", err)
	}
	name, known := names[id]
	if !known || name.Name == event.Erased {
		return CareRecord{}, patient.ErrUnknown
	}
	found := CareRecord{PatientName: name.Name, BirthDate: name.BirthDate}
	if err := c.readEntries(ctx, &found, tenant, id, long); err != nil {
		return CareRecord{}, fmt.Errorf("read care record: %w", err)
	}
	return found, nil
}

// entriesOf takes entries, from the newest on, until those before one reach the limit
// of bytes.
const entriesOf = `
WITH newest AS (
	SELECT entry, staff, recorded_at FROM record_entries
	WHERE tenant = $1 AND patient = $2 ORDER BY recorded_at DESC, entry DESC LIMIT $3),
sized AS (
	SELECT n.entry, n.staff, n.recorded_at, e.id, e.name, e.data, e.metadata, e.sealed,
		sum(octet_length(e.data) + coalesce(octet_length(e.sealed), 0)) OVER (ORDER BY n.recorded_at DESC, n.entry DESC
			ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
	FROM newest n JOIN events e ON e.stream = n.entry AND e.version = 1 AND e.tenant = $1)
SELECT e.id, e.entry, e.recorded_at, e.name, e.data, e.metadata, e.sealed, coalesce(s.name, ''),
	(SELECT count(*) FROM record_entries WHERE tenant = $1 AND patient = $2)
FROM sized e LEFT JOIN staff s ON s.tenant = $1 AND s.staff = e.staff
WHERE coalesce(e.before, 0) < $4 ORDER BY e.recorded_at DESC, e.entry DESC`

func (c CareRecords) readEntries(ctx context.Context, into *CareRecord, tenant string, id patient.ID, long bool) error {
	all, size := 0, 0
	var names []string // of the members of staff who made the entries
	rows, _ := c.DB.Query(ctx, entriesOf, tenant, id, maxEntries, maxRecordBytes)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (event.Stored, error) {
		for _, column := range row.RawValues() {
			size += len(column)
		}
		if size > longRecord && !long {
			return event.Stored{}, ErrLongRecord
		}
		s, name := event.Stored{Stream: event.Stream{Tenant: tenant}, Version: 1}, ""
		err := row.Scan(&s.ID, &s.Stream.ID, &s.At, &s.Name, &s.Data, &s.Metadata, &s.Sealed, &name, &all)
		names = append(names, name)
		return s, err
	})
	if err != nil {
		return err
	}
	opened, err := c.Opens.Open(ctx, found)
	if err != nil {
		return err
	}
	for n, e := range opened {
		into.Entries = append(into.Entries, entryOf(e, names[n]))
	}
	into.Complete = len(into.Entries) == all
	return nil
}

// entryOf returns an entry with the name of the member of staff who made it, or else that
// of the act claim's practitioner.
func entryOf(e event.Recorded, name string) RecordEntry {
	if by := e.Metadata.Actor.OnBehalfOf; name == "" && by != nil {
		name = by.Practitioner.Name
	}
	return RecordEntry{Event: e.Event, ID: e.Stream.ID, At: e.At.UTC(), UserName: name}
}
