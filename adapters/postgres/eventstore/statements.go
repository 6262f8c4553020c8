package eventstore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// written is an event as it is stored, with the statements that must hold at once. It is made
// on the goroutine of the caller, so that a faulty append fails only its own caller.
type written struct {
	event.Stored
	idempotency  event.Digest // the key of the call; zero if it has none
	practitioner *uuid.UUID   // of the act claim, if it has one
	former       *uuid.UUID   // the patient that the stream is moved from, if it is
	keys         keyring.Rows // new keys of the append: of its first event
	rows, guards []projections.Statement
	ofPatient    bool // the practice must have the patient

	member int32 // index of its append in a transaction
	strict bool  // its append is refused if it has lost, and not left out
}

// eventsOf returns the events of a group, each with the index of its member, streams in the
// same order as in an append alone.
func eventsOf(group []*member) (events []written) {
	for n, m := range group {
		for _, e := range m.events {
			e.member, e.strict = int32(n), m.strict || len(group) == 1
			events = append(events, e)
		}
	}
	slices.SortStableFunc(events, func(a, b written) int {
		return cmp.Or(compareStreams(a.Stream, b.Stream), cmp.Compare(a.Version, b.Version))
	})
	return events
}

// compareStreams is the order in which appends lock streams: by id, then by tenant.
func compareStreams(a, b event.Stream) int {
	return cmp.Or(bytes.Compare(a.ID[:], b.ID[:]), strings.Compare(a.Tenant, b.Tenant))
}

// follows reports whether an event is the next one of the same stream.
func follows(e, before written) bool {
	return e.Stream == before.Stream && e.Version == before.Version+1
}

// The statements that store events are fenced against erasures. Each checks whether a
// subject of an event was erased: its patient, the practitioner of its act claim, or its
// request, which is its stream. If so, its name is NULL, which the column refuses. An event
// that links a request to another patient must not take it from an erased one, either;
// it never begins a stream.
//
// The check takes a lock on the table of erasures before its snapshot, and keeps it until
// the commit. An eraser locks the table against it. So an append has either committed
// before the eraser goes on, or it reads after the eraser's commit and is refused (D70).
// The lock is one of the cheap ones: checks do not block each other, and write nothing.
const (
	insertEvents = `
INSERT INTO events (id, tenant, stream, version, name, patient, data, metadata, recorded_at, sealed)`

	notErased = `NOT EXISTS (SELECT FROM erasures WHERE tenant = e.tenant AND kind = 1 AND holder = e.patient FOR KEY SHARE)
		AND NOT EXISTS (SELECT FROM erasures WHERE tenant = e.tenant AND kind = 3 AND holder = e.practitioner FOR KEY SHARE)
		AND NOT EXISTS (SELECT FROM erasures WHERE tenant = e.tenant AND kind = 4 AND holder = e.stream FOR KEY SHARE)`

	unerased = `
	CASE WHEN ` + notErased + `
	THEN e.name END`
	unerasedBoth = `
	CASE WHEN ` + notErased + `
		AND NOT EXISTS (SELECT FROM erasures WHERE tenant = e.tenant AND kind = 1 AND holder = e.former FOR KEY SHARE)
	THEN e.name END`
)

// The statements that store events compare the stored values with the sent ones, before the
// commit. A trigger or a rule that changes or drops an event makes them divide by zero,
// and nothing is stored: [postgres.ErrAltered] (D138). Texts are compared byte by byte,
// whatever collation a column has.

// appendFirst stores one event that begins a stream.
const appendFirst = `
WITH stored AS (` + insertEvents + `
	SELECT e.id, e.tenant, e.stream, 1,` + unerased + `, e.patient, e.data, e.metadata, e.recorded_at, e.sealed
	FROM (SELECT $1::uuid AS id, $2::text AS tenant, $3::uuid AS stream, $4::text AS name, $5::uuid AS patient,
		$6::text AS data, $7::text AS metadata, $8::timestamptz AS recorded_at, $9::bytea AS sealed, $10::uuid AS practitioner) e
	RETURNING id = $1 AND tenant = $2 COLLATE "C" AND stream = $3 AND version = 1 AND name = $4 COLLATE "C" AND patient IS NOT DISTINCT FROM $5
		AND data = $6 COLLATE "C" AND metadata = $7 COLLATE "C" AND recorded_at = $8 AND sealed IS NOT DISTINCT FROM $9 AS same
)
SELECT 1 / (count(*) FILTER (WHERE same) = 1)::int FROM stored`

// appendAll stores the events of any number of appends. It is one statement, so that each
// connection prepares it once. An event that goes on with a stored stream has the version
// after which it comes. Where the stream is at another version, the append has lost: its
// events are left out, and its index is returned. The append is strict if something else is
// queued with it; then its version is NULL, which the column refuses. So a stream has no
// holes. [lockStreams] serialises appends to one stream, before the snapshot of this
// statement.
const appendAll = `
WITH e AS MATERIALIZED ( -- for INSERT INTO events: traces cut long statements
	SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[], $5::text[], $6::uuid[], $7::text[], $8::text[], $9::timestamptz[],
		$10::bytea[], $11::uuid[], $12::uuid[], $13::int[], $14::int[], $15::boolean[])
		AS e (id, tenant, stream, version, name, patient, data, metadata, recorded_at, sealed, practitioner, former, after, member, strict)
), lost AS MATERIALIZED (
	SELECT coalesce(array_agg(e.member), '{}') AS members FROM e
	WHERE e.after <> ` + versionOf + `
), stored AS (` + insertEvents + `
	SELECT e.id, e.tenant, e.stream, CASE WHEN e.member <> ALL (lost.members) THEN e.version END,` + unerasedBoth + `,
		e.patient, e.data, e.metadata, e.recorded_at, e.sealed
	FROM lost, e WHERE ` + notLost + `
	RETURNING id, tenant, stream, version, name, patient, data, metadata, recorded_at, sealed
)
SELECT CASE 1 / (NOT EXISTS (
	SELECT FROM (SELECT e.* FROM e WHERE ` + notLost + `) e FULL JOIN stored s ON s.stream = e.stream AND s.tenant = e.tenant AND s.version = e.version
	WHERE (s.id = e.id AND s.name = e.name COLLATE "C" AND s.patient IS NOT DISTINCT FROM e.patient
		AND s.data = e.data COLLATE "C" AND s.metadata = e.metadata COLLATE "C"
		AND s.recorded_at = e.recorded_at AND s.sealed IS NOT DISTINCT FROM e.sealed) IS NOT TRUE
))::int WHEN 1 THEN members END FROM lost`

// notLost is true of the events that are not left out.
const notLost = `(e.strict OR e.member <> ALL (lost.members))`

// versionOf is the version of a stream, and 0 if nothing is in it.
const versionOf = `coalesce((SELECT s.version FROM events s WHERE s.tenant = e.tenant AND s.stream = e.stream ORDER BY s.version DESC LIMIT 1), 0)`

// overtaken returns the indexes of appends that have lost.
const overtaken = `
SELECT DISTINCT e.member FROM unnest($1::text[], $2::uuid[], $3::int[], $4::int[]) AS e (tenant, stream, after, member)
WHERE e.after <> ` + versionOf

// columns are the arguments of [appendAll]. Arrays of our own types would be encoded by
// reflection.
type columns struct {
	id, stream, patient, practitioner, former pgtype.FlatArray[pgtype.UUID]
	tenant, name, data, metadata              []string
	version, member                           []int32
	after                                     pgtype.FlatArray[pgtype.Int4]
	at                                        []time.Time
	sealed                                    [][]byte
	strict                                    []bool
}

func columnsOf(events []written) (c columns) {
	for n, e := range events {
		c.id = append(c.id, postgres.Nullable(&e.ID))
		c.stream = append(c.stream, postgres.Nullable(&e.Stream.ID))
		c.patient = append(c.patient, postgres.IDOrNull(e.Patient))
		c.practitioner = append(c.practitioner, postgres.Nullable(e.practitioner))
		c.former = append(c.former, postgres.Nullable(e.former))
		c.tenant = append(c.tenant, e.Stream.Tenant)
		c.name = append(c.name, e.Name)
		c.data = append(c.data, string(e.Data))
		c.metadata = append(c.metadata, string(e.Metadata))
		c.sealed = append(c.sealed, e.Sealed)
		c.version = append(c.version, int32(e.Version))
		c.member = append(c.member, e.member)
		c.after = append(c.after, afterOf(events, n))
		c.at = append(c.at, e.At)
		c.strict = append(c.strict, e.strict)
	}
	return c
}

func (c columns) args() []any {
	return []any{
		c.id, c.tenant, c.stream, c.version, c.name, c.patient, c.data, c.metadata, c.at, c.sealed,
		c.practitioner, c.former, c.after, c.member, c.strict,
	}
}

// afterOf returns the version at which the stream of an event must be, and NULL if the event
// begins its stream or comes right after another one of the append.
func afterOf(events []written, n int) pgtype.Int4 {
	e := events[n]
	goesOn := e.Version > 1 && (n == 0 || !follows(e, events[n-1]))
	return pgtype.Int4{Int32: int32(e.Version - 1), Valid: goesOn}
}

// continued are the streams that events go on with, which are stored already.
type continued struct {
	tenant        []string
	stream        pgtype.FlatArray[pgtype.UUID]
	after, member []int32
}

func continuedOf(events []written) (o continued) {
	for n, e := range events {
		if after := afterOf(events, n); after.Valid {
			o.tenant, o.stream = append(o.tenant, e.Stream.Tenant), append(o.stream, postgres.Nullable(&e.Stream.ID))
			o.after, o.member = append(o.after, after.Int32), append(o.member, e.member)
		}
	}
	return o
}

// lockStreams serialises appends to one stream, until the transaction ends: a later append
// sees the events of the one before, and is not refused by the index. Advisory locks with two
// keys are another space than those with one ([postgres.AdvisoryLock]). Two streams with one
// hash are also serialised.
const lockStreams = `SELECT count(pg_advisory_xact_lock($1, hash)) FROM unnest($2::int[]) AS hash`

const streamLocks int32 = 0x7374726d // "strm"

// hashes returns the locks of streams, each once, in the order in which all appends take them.
func (o continued) hashes() (hashes []int32) {
	for n := range o.tenant {
		h := fnv.New32a()
		_, _ = h.Write(o.stream[n].Bytes[:])
		_, _ = h.Write([]byte(o.tenant[n]))
		hashes = append(hashes, int32(h.Sum32()))
	}
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

// batchOf queues the events of appends, and then the projections that must hold at once.
// With lost, the appends that have lost are left out, and their indexes added to it.
func batchOf(appends []*member, lost *[]int32) *pgx.Batch {
	events := eventsOf(appends)
	batch := durably(events)
	if hashes := continuedOf(events).hashes(); len(hashes) > 0 {
		batch.Queue(lockStreams, streamLocks, hashes)
	}
	queueEvents(batch, events, lost)
	queueAtOnce(batch, appends)
	return batch
}

// queueAtOnce queues the rows of appends that must hold at once, and then the guards that
// refuse them.
func queueAtOnce(batch *pgx.Batch, appends []*member) {
	var rows, guards []projections.Statement
	for _, m := range appends {
		for _, e := range m.events {
			rows, guards = append(rows, e.rows...), append(guards, e.guards...)
		}
	}
	projections.Queue(batch, slices.Concat(rows, guards))
}

// queueEvents queues the events, and then the keys that the appends have made or moved.
func queueEvents(batch *pgx.Batch, events []written, lost *[]int32) {
	if e := events[0]; len(events) == 1 && e.Version == 1 {
		batch.Queue(appendFirst, e.ID, e.Stream.Tenant, e.Stream.ID, e.Name, postgres.IDOrNull(e.Patient),
			string(e.Data), string(e.Metadata), e.At, e.Sealed, e.practitioner)
	} else {
		inserted := batch.Queue(appendAll, columnsOf(events).args()...)
		if lost != nil {
			inserted.QueryRow(func(row pgx.Row) error { return row.Scan(lost) })
		}
	}
	queueKeys(batch, events)
}

// moveKey gives a request's key to the patient that the request is linked to from then on.
const moveKey = `UPDATE personal_keys SET patient = $4 WHERE tenant = $1 AND kind = $2 AND holder = $3`

// queueKeys queues the keys that appends have made, and then those that they move.
func queueKeys(batch *pgx.Batch, events []written) {
	var keys keyring.Rows
	for _, e := range events {
		keys = append(keys, e.keys...)
	}
	keys.Queue(batch)
	for _, e := range events {
		if e.former != nil {
			batch.Queue(moveKey, e.Stream.Tenant, event.OfRequest, e.Stream.ID, e.Patient)
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

// causes returns the indexes of the members that caused a group's refusal: those that need a
// patient unknown to the practice, or those that have lost a stream. Other refusals have no
// known cause.
func (s *Store) causes(ctx context.Context, group []*member, refusal error) ([]int32, error) {
	events := eventsOf(group)
	var statement string
	var args []any
	switch {
	case errors.Is(refusal, patient.ErrUnknown):
		tenants, patients, members := needed(events)
		statement, args = membersWithoutPatient, []any{tenants, patients, members}
	case errors.Is(refusal, event.ErrConflict):
		o := continuedOf(events)
		statement, args = overtaken, []any{o.tenant, o.stream, o.after, o.member}
	default:
		return nil, nil
	}
	rows, _ := s.DB.Query(ctx, statement, args...)
	return pgx.CollectRows(rows, pgx.RowTo[int32])
}
