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

// CareRecords keeps the notes, requests and consultations of each patient's care
// record. Its rows only point to events, which hold the encrypted text.
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
	UserName string   // the author's display name; "" if it is not known
	InError  *InError // nil unless it was marked as entered in error
}

// InError means that an entry was marked as entered in error.
type InError struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"markedAt"`
}

// Memory for one record is limited. The newest entry is always included, however long
// it is.
const (
	maxEntries     = 1000
	maxRecordBytes = 4 << 20
)

// longRecord is the number of bytes from which a record counts as long.
const longRecord = 64 << 10

// ErrLongRecord means that a record is long, and the caller did not want a long one.
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
	case event.Moved:
		do(`UPDATE record_entries SET patient = $4 WHERE tenant = $1 AND patient = $3 AND entry = $2`,
			r.Stream.Tenant, r.Stream.ID, e.FormerPatientID(), e.PatientID())
	case patient.Erased:
		do(`DELETE FROM record_entries WHERE tenant = $1 AND patient = $2`, r.Stream.Tenant, e.Patient)
	}
}

func enter(r event.Recorded, about patient.ID, do func(sql string, args ...any)) {
	var member *uuid.UUID
	if id := r.Metadata.Actor.Member(); id != uuid.Nil {
		member = &id
	}
	do(addEntries, row(r.Stream.Tenant, about, r.Stream.ID, member, r.At)...)
}

const addEntries = `
INSERT INTO record_entries (tenant, patient, entry, staff, recorded_at)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[])`

// Find returns the care record of a patient, newest entries first, with at most 1,000
// entries and 4 MiB. It returns patient.ErrUnknown if the practice has no such patient,
// and [ErrLongRecord] instead of more than 64 KiB unless the caller wants a long
// record.
func (c CareRecords) Find(ctx context.Context, tenant string, id patient.ID, long bool) (CareRecord, error) {
	named, err := readLast(ctx, c.DB, tenant, naming, []patient.ID{id})
	if err != nil {
		return CareRecord{}, fmt.Errorf("read care record: %w", err)
	}
	if len(named) == 0 {
		return CareRecord{}, patient.ErrUnknown
	}
	rows, complete, err := c.readEntries(ctx, tenant, id, long)
	if err != nil {
		return CareRecord{}, fmt.Errorf("read care record: %w", err)
	}
	record, err := c.open(ctx, named[0], rows)
	if err != nil {
		return CareRecord{}, fmt.Errorf("open care record: %w", err)
	}
	if record.PatientName == event.Erased {
		return CareRecord{}, patient.ErrUnknown
	}
	record.Complete = complete
	return record, nil
}

// entriesOf selects entries, newest first, until those before one reach the limit of
// bytes. It looks for the mark of an entry in the entry's stream.
const (
	entriesOf       = newestEntries + sizedEntries
	entriesOfBefore = newestEntries + `
		AND (recorded_at, entry) < (SELECT recorded_at, entry FROM record_entries WHERE tenant = $1 AND patient = $2 AND entry = $6)` + sizedEntries

	newestEntries = `
WITH newest AS (
	SELECT entry, staff, recorded_at FROM record_entries
	WHERE tenant = $1 AND patient = $2`
	sizedEntries = ` ORDER BY recorded_at DESC, entry DESC LIMIT $3),
sized AS (
	SELECT n.entry, n.staff, n.recorded_at, e.id, e.name, e.data, e.metadata, e.sealed,
		sum(octet_length(e.data) + coalesce(octet_length(e.sealed), 0)) OVER (ORDER BY n.recorded_at DESC, n.entry DESC
			ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
	FROM newest n JOIN events e ON e.stream = n.entry AND e.version = 1 AND e.tenant = $1)
SELECT e.id, e.entry, e.recorded_at, e.name, e.data, e.metadata, e.sealed, coalesce(s.name, ''),
	(SELECT count(*) FROM record_entries WHERE tenant = $1 AND patient = $2),
	coalesce(m.name, ''), m.recorded_at, m.data, m.metadata
FROM sized e LEFT JOIN staff s ON s.tenant = $1 AND s.staff = e.staff
LEFT JOIN LATERAL (SELECT * FROM events
	WHERE stream = e.entry AND version > 1 AND tenant = $1 AND name = ANY ($5) ORDER BY version LIMIT 1) m ON true
WHERE coalesce(e.before, 0) < $4 ORDER BY e.recorded_at DESC, e.entry DESC`
)

// marks are the events that mark an entry as entered in error.
var marks = []string{record.NoteEnteredInError{}.EventName(), request.EnteredInError{}.EventName()}

// recordRow is an entry as it is read.
type recordRow struct {
	entry event.Stored
	name  string       // of the member of staff who made it
	mark  event.Stored // without a name if there is none
}

// readEntries reads the newest entries, and reports whether these are all.
func (c CareRecords) readEntries(ctx context.Context, tenant string, id patient.ID, long bool) (found []recordRow, complete bool, err error) {
	all, size := 0, 0
	rows, _ := c.DB.Query(ctx, entriesOf, tenant, id, maxEntries, maxRecordBytes, marks)
	found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (recordRow, error) {
		for _, column := range row.RawValues() {
			size += len(column)
		}
		if size > longRecord && !long {
			return recordRow{}, ErrLongRecord
		}
		return scanEntry(row, tenant, &all)
	})
	return found, len(found) == all, err
}

func scanEntry(row pgx.CollectableRow, tenant string, all *int) (recordRow, error) {
	r := recordRow{entry: event.Stored{Stream: event.Stream{Tenant: tenant}, Version: 1}}
	var markedAt *time.Time
	e, m := &r.entry, &r.mark
	err := row.Scan(&e.ID, &e.Stream.ID, &e.At, &e.Name, &e.Data, &e.Metadata, &e.Sealed, &r.name, all,
		&m.Name, &markedAt, &m.Data, &m.Metadata)
	if markedAt != nil {
		m.Stream, m.At = e.Stream, *markedAt
	}
	return r, err
}

// open decrypts entries, and the event that names the patient.
func (c CareRecords) open(ctx context.Context, naming event.Stored, found []recordRow) (record CareRecord, err error) {
	entries, others, err := c.openEntries(ctx, found, naming)
	if err != nil {
		return record, err
	}
	name, _ := NameIn(others[0])
	return CareRecord{PatientName: name.Name, BirthDate: name.BirthDate, Entries: entries}, nil
}

// openEntries decrypts entries, their marks and other events with one query. The marks
// show no personal data.
func (c CareRecords) openEntries(ctx context.Context, found []recordRow, also ...event.Stored) (entries []RecordEntry, others []event.Recorded, err error) {
	var stored []event.Stored
	for _, r := range found {
		stored = append(stored, r.entry)
	}
	stored = append(stored, also...)
	for _, r := range found {
		if r.mark.Name != "" {
			stored = append(stored, r.mark)
		}
	}
	opened, err := c.Opens.Open(ctx, stored)
	if err != nil {
		return nil, nil, err
	}
	others = opened[len(found):][:len(also)]
	marked := map[uuid.UUID]*InError{}
	for _, mark := range opened[len(found)+len(also):] {
		marked[mark.Stream.ID] = inErrorBy(mark)
	}
	for n, e := range opened[:len(found)] {
		entry := entryOf(e, found[n].name)
		entry.InError = marked[entry.ID]
		entries = append(entries, entry)
	}
	return entries, others, nil
}

func inErrorBy(mark event.Recorded) *InError {
	switch e := mark.Event.(type) {
	case record.NoteEnteredInError:
		return &InError{e.Reason, mark.At.UTC()}
	case request.EnteredInError:
		return &InError{e.Reason, mark.At.UTC()}
	}
	return nil
}

// entryOf returns an entry with the name of the member of staff who made it, or
// otherwise the name of the act claim's practitioner.
func entryOf(e event.Recorded, name string) RecordEntry {
	if by := e.Metadata.Actor.OnBehalfOf; name == "" && by != nil {
		name = by.Practitioner.Name
	}
	return RecordEntry{Event: e.Event, ID: e.Stream.ID, At: e.At.UTC(), UserName: name}
}

// pageBytes limits the bytes of a record that are read for one page. The first entry is
// always included.
const pageBytes = 256 << 10

// Page returns at most the given number of entries of a patient's care record before
// one of them, newest first, and whether older ones follow. A zero identifier begins
// with the newest. It returns none for a patient that the practice does not have.
func (c CareRecords) Page(ctx context.Context, tenant string, id patient.ID, before uuid.UUID, most int) (entries []RecordEntry, more bool, err error) {
	sql, args := entriesOf, []any{tenant, id, most + 1, pageBytes, marks}
	if before != uuid.Nil {
		sql, args = entriesOfBefore, append(args, before)
	}
	size, all := 0, 0
	rows, _ := c.DB.Query(ctx, sql, args...)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r recordRow, err error) {
		for _, column := range row.RawValues() {
			size += len(column)
		}
		r, err = scanEntry(row, tenant, &all)
		return r, err
	})
	if err != nil {
		return nil, false, fmt.Errorf("read a page of a care record: %w", err)
	}
	more = len(found) > most || size >= pageBytes
	entries, _, err = c.openEntries(ctx, found[:min(most, len(found))])
	if err != nil {
		return nil, false, fmt.Errorf("open a page of a care record: %w", err)
	}
	return entries, more, nil
}
