package postgres

import (
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
)

// The statements that store events are fenced against erasures. Each looks whether what
// an event is about was erased: its patient, the practitioner of its act claim, or its
// request, which is its stream. If so, its name is NULL, which the column refuses. What
// links a request to another patient must not take it from one who was erased, either; that
// never begins a stream.
//
// The look takes a lock on the table of erasures before its snapshot, and keeps it until
// the commit. An eraser locks the table against it. So an append has either committed
// before the eraser goes on, or it looks after the eraser's commit and is refused (D70).
// The lock is one of the cheap ones: looks are in nobody's way, and nothing is written.
const (
	insertEvents = `
INSERT INTO events (id, tenant, stream, version, name, patient, data, metadata, recorded_at, sealed)`

	nobodyErased = `NOT EXISTS (SELECT FROM erasures WHERE tenant = e.tenant AND kind = 1 AND holder = e.patient FOR KEY SHARE)
		AND NOT EXISTS (SELECT FROM erasures WHERE tenant = e.tenant AND kind = 3 AND holder = e.practitioner FOR KEY SHARE)
		AND NOT EXISTS (SELECT FROM erasures WHERE tenant = e.tenant AND kind = 4 AND holder = e.stream FOR KEY SHARE)`

	unerased = `
	CASE WHEN ` + nobodyErased + `
	THEN e.name END`
	unerasedBoth = `
	CASE WHEN ` + nobodyErased + `
		AND NOT EXISTS (SELECT FROM erasures WHERE tenant = e.tenant AND kind = 1 AND holder = e.former FOR KEY SHARE)
	THEN e.name END`

	asOne = `
	e.patient, e.data, e.metadata, e.recorded_at, e.sealed
FROM (SELECT $1::uuid AS id, $2::text AS tenant, $3::uuid AS stream, $4::int AS version, $5::text AS name, $6::uuid AS patient,
	$7::text AS data, $8::text AS metadata, $9::timestamptz AS recorded_at, $10::bytea AS sealed, $11::uuid AS practitioner, $12::uuid AS former) e`
)

// Each of these stores one event: the first of its stream, or a later one. A later
// version is computed from its predecessor. If there is none, it is NULL, which the column
// refuses. So a stream has no holes.
const (
	appendFirst = insertEvents + `
SELECT e.id, e.tenant, e.stream, e.version,` + unerased + `,` + asOne
	appendNext = insertEvents + `
SELECT e.id, e.tenant, e.stream,
	(SELECT version + 1 FROM events WHERE tenant = e.tenant AND stream = e.stream AND version = e.version - 1),` + unerasedBoth + `,` + asOne
)

// appendGroup stores all events of a group. It is one statement, whatever the size of
// the group, so that each connection prepares it once.
const appendGroup = insertEvents + `
SELECT e.id, e.tenant, e.stream, e.version,` + unerased + `, e.patient, e.data, e.metadata, e.recorded_at, e.sealed
FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[], $5::text[], $6::uuid[], $7::text[], $8::text[], $9::timestamptz[], $10::bytea[], $11::uuid[])
	AS e (id, tenant, stream, version, name, patient, data, metadata, recorded_at, sealed, practitioner)`

// queueEvents queues every event, and then the keys that the append has made or moved.
func queueEvents(batch *pgx.Batch, events []written) {
	for _, e := range events {
		statement := appendNext
		if e.Version == 1 {
			statement = appendFirst
		}
		batch.Queue(statement, e.ID, e.Stream.Tenant, e.Stream.ID, e.Version, e.Name, idOrNull(e.Patient),
			string(e.Data), string(e.Metadata), e.At, e.Sealed, e.practitioner, e.former)
	}
	queueKeys(batch, events)
}

// moveKey gives a request's key to the patient to whom the request is linked from then on.
const moveKey = `UPDATE personal_keys SET patient = $4 WHERE tenant = $1 AND kind = $2 AND holder = $3`

// queueKeys queues the keys that appends have made, and then those that they move.
func queueKeys(batch *pgx.Batch, events []written) {
	var keys []newKey
	for _, e := range events {
		keys = append(keys, e.keys...)
	}
	if len(keys) > 0 {
		batch.Queue(insertKeys, keyColumns(keys)...)
	}
	for _, e := range events {
		if e.former != nil {
			batch.Queue(moveKey, e.Stream.Tenant, event.OfRequest, e.Stream.ID, e.Patient)
		}
	}
}
