package accesslog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Record reads the access record, which has a line for each judged call and for
// each page that has shown patients to staff.
type Record struct {
	DB   projections.Querier
	Keys *keyring.Keyring // decrypts the practitioners of calls; nil leaves them hidden
	Page int              // calls a query; 0 means 1,000
}

// CallFilter selects calls. A zero field lets all calls pass.
type CallFilter struct {
	RequestID   uuid.UUID
	Before      uuid.UUID // calls older than the one with this request id
	Tenant      string
	Application application.ID
	Staff       staff.ID
	Patient     patient.ID // named or shown
	Kind        access.LineKind
	Endpoint    application.EndpointName
	StatusFrom  int
	StatusUntil int // exclusive
	Since       time.Time
	Until       time.Time // exclusive
}

// Calls yields the calls that pass the filter, newest first, and ends at the
// first error. It reads page by page, so that a slow reader keeps no transaction
// open.
func (a Record) Calls(ctx context.Context, f CallFilter) iter.Seq2[access.Call, error] {
	return func(yield func(access.Call, error) bool) {
		for {
			page, err := a.page(ctx, f)
			if err != nil {
				yield(access.Call{}, err)
				return
			}
			for _, c := range page {
				if !yield(c, nil) {
					return
				}
			}
			if len(page) < a.size() {
				return
			}
			f.Before = page[len(page)-1].RequestID
		}
	}
}

func (a Record) page(ctx context.Context, f CallFilter) ([]access.Call, error) {
	rows, _ := a.DB.Query(ctx, f.query(), append([]any{pgx.QueryExecModeCacheDescribe}, f.args(a.size())...)...)
	var boxes [][]byte
	page, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (access.Call, error) {
		call, box, err := scanCall(row)
		boxes = append(boxes, box)
		return call, err
	})
	if err == nil && a.Keys != nil {
		err = openActs(ctx, a.Keys, page, boxes)
	}
	if err != nil {
		return nil, fmt.Errorf("read the access record: %w", err)
	}
	return page, nil
}

// pageSize is the number of lines of a page, if [Record.Page] is 0.
const pageSize = 1000

func (a Record) size() int { return cmp.Or(a.Page, pageSize) }

// readCalls has a condition for each field of the filter. Postgres plans it each time, with
// the parameters at hand, so it drops the conditions of zero fields and uses the index that
// fits the rest.
const readCalls = `
SELECT request_id, at, tenant, application, mode, staff, endpoint, patient, status, code, reason, act, token_hash, sealed, repeats, coalesce(user_agent, ''),
	coalesce((SELECT idx FROM access_log l WHERE l.request_id = called.request_id), 0)
FROM %s
WHERE ($1::uuid IS NULL OR request_id = $1)
	AND ($2::uuid IS NULL OR request_id < $2)
	AND ($3 = '' OR tenant = $3)
	AND ($4::uuid IS NULL OR application = $4)
	AND ($5::uuid IS NULL OR staff = $5)
	AND ($6::uuid IS NULL OR patient = $6 OR mode = 'page')
	AND ($7 = '' OR endpoint = $7)
	AND status >= $8 AND ($9 = 0 OR status < $9)
	AND ($10::timestamptz IS NULL OR at >= $10)
	AND ($11::timestamptz IS NULL OR at < $11)
	AND ($12 = '' OR (mode = 'page') = ($12 = 'look'))
ORDER BY request_id DESC LIMIT $13`

// calledSince selects the calls in a time, by the index of times. Without OFFSET 0, Postgres
// walks from the newest calls to the oldest if there are few in that time.
const calledSince = `(SELECT * FROM access_record WHERE at >= $10 AND ($11::timestamptz IS NULL OR at < $11) OFFSET 0) called`

// calledAbout selects the calls that have named a patient, and the looks that have shown them.
const calledAbout = `(SELECT * FROM access_record WHERE patient = $6
	UNION ALL SELECT * FROM access_record WHERE mode = 'page' AND act::jsonb -> 'patients' @> jsonb_build_array($6::text)) called`

// query returns the statement for the filter. Calls of a practice, an application, a member
// of staff or a patient are found by their own indexes, however long ago the time begins.
func (f CallFilter) query() string {
	if f.Patient.UUID != uuid.Nil {
		return fmt.Sprintf(readCalls, calledAbout)
	}
	theirs := f.Tenant != "" || f.Application.UUID != uuid.Nil || f.Staff.UUID != uuid.Nil
	if f.Since.IsZero() || theirs || f.RequestID != uuid.Nil {
		return fmt.Sprintf(readCalls, "access_record called")
	}
	return fmt.Sprintf(readCalls, calledSince)
}

func (f CallFilter) args(limit int) []any {
	return []any{
		postgres.IDOrNull(f.RequestID), postgres.IDOrNull(f.Before), f.Tenant, postgres.IDOrNull(f.Application.UUID), postgres.IDOrNull(f.Staff.UUID),
		postgres.IDOrNull(f.Patient.UUID), string(f.Endpoint), f.StatusFrom, f.StatusUntil, postgres.TimeOrNull(f.Since), postgres.TimeOrNull(f.Until), string(f.Kind), limit,
	}
}

func scanCall(row pgx.CollectableRow) (c access.Call, box []byte, err error) {
	var member, about *uuid.UUID
	var act *string
	var hash []byte
	err = row.Scan(&c.RequestID, &c.At, &c.Tenant, &c.Application, &c.Mode, &member, &c.Endpoint, &about,
		&c.Status, &c.Code, &c.Reason, &act, &hash, &box, &c.Repeats, &c.Agent, &c.Idx)
	if err != nil {
		return c, nil, err
	}
	c.At = c.At.UTC()
	copy(c.TokenHash[:], hash)
	if member != nil {
		c.Staff.UUID = *member
	}
	if about != nil {
		c.Patient.UUID = *about
	}
	if c.Looked() && act != nil {
		c.Patients, err = access.ParseShownPatients(*act)
		return c, box, err
	}
	if act != nil {
		c.Act = &event.OnBehalfOf{}
		err = json.Unmarshal([]byte(*act), c.Act)
	}
	return c, box, err
}

// shownFirst reads one line by its index. Its condition on the topic is that of the index.
const shownFirst = `
SELECT at FROM access_record WHERE mode = 'page' AND endpoint LIKE 'request-outcome:%' AND endpoint = $2 AND tenant = $1
ORDER BY request_id LIMIT 1`

// AnswerShown returns when an application was first shown an answer, whose topic is
// [access.AnswerTopic]; a zero time if it was not.
func (a Record) AnswerShown(ctx context.Context, tenant, topic string) (at time.Time, err error) {
	err = a.DB.QueryRow(ctx, shownFirst, tenant, topic).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("look who was shown an answer: %w", err)
	}
	return at.UTC(), nil
}

// ErrUnrecorded reports that a reading is not in the log as it was made.
var ErrUnrecorded = errors.New("the reading was not recorded as it was made, so nothing is shown: something has changed record_audit_query or events; " +
	"compare the schema with frontdesk serve --check")

// RecordAuditQuery appends the event that an auditor reads patients' data, and reads it back
// (D138). Every role that may read may call it. The actor is the role that the database
// knows, not the person that the machine names. If it fails, show nothing.
func RecordAuditQuery(ctx context.Context, db postgres.DB, tenant, machine string, q audit.Queried) error {
	id := event.NewID()
	var stream *uuid.UUID
	batch := &pgx.Batch{}
	batch.Queue(`SELECT record_audit_query($1, $2, $3, $4, $5, $6, $7, $8)`,
		id, tenant, machine, q.Command, q.Filter, postgres.IDOrNull(q.Patient.UUID), q.Personal, q.Count,
	).QueryRow(func(row pgx.Row) error { return row.Scan(&stream) })
	if err := db.ExecBatch(ctx, batch); err != nil {
		return fmt.Errorf("record the reading: %w", err)
	}
	if stream == nil {
		return ErrUnrecorded
	}
	return readBack(ctx, db, id, event.Stream{Tenant: tenant, ID: *stream}, q)
}

// readBack returns [ErrUnrecorded] unless a reading is stored, as it was made and under the
// role that the database knows.
func readBack(ctx context.Context, db postgres.DB, id uuid.UUID, at event.Stream, q audit.Queried) error {
	var stored struct {
		id                         uuid.UUID
		about                      *uuid.UUID
		name, data, metadata, user string
	}
	err := db.QueryRow(ctx, `SELECT id, name, patient, data, metadata, session_user::text FROM events WHERE stream = $1 AND tenant = $2 AND version = 1`,
		at.ID, at.Tenant).Scan(&stored.id, &stored.name, &stored.about, &stored.data, &stored.metadata, &stored.user)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrUnrecorded
	}
	if err != nil {
		return fmt.Errorf("read the record of the reading: %w", err)
	}
	var read audit.Queried
	metadata, err := event.ParseMetadata([]byte(stored.metadata))
	if err = errors.Join(err, json.Unmarshal([]byte(stored.data), &read)); err != nil {
		return errors.Join(ErrUnrecorded, err)
	}
	var about uuid.UUID
	if stored.about != nil {
		about = *stored.about
	}
	by := event.Actor{Kind: event.ByOperator, ID: stored.user, Machine: metadata.Actor.Machine}
	if stored.id != id || stored.name != q.EventName() || about != q.Patient.UUID || read != q || metadata.Actor != by {
		return ErrUnrecorded
	}
	return nil
}
