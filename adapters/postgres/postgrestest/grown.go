package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
)

// Grown is the size of a database after years of service. Everything is spread evenly
// over the practices, which are named practice-1, practice-2 and so on.
type Grown struct {
	Practices, Staff, Patients int
	Events                     int // including those of practices, staff and patients; the others are notes
	Entries                    int // of care records and timelines: of the newest notes
	Calls, Deliveries, Uploads int // past ones
}

// grownWorkers is the number of connections that fill a database at once.
const grownWorkers = 4

// Grow fills a migrated, empty database past the store, in bulk, and updates its
// statistics. All of it can be decoded. Indexes of large tables are dropped while the
// rows are written and created again at the end, which takes half the time.
func Grow(tb testing.TB, superuserURL string, size Grown) {
	tb.Helper()
	url := superuserURL + "&synchronous_commit=off&session_replication_role=replica&maintenance_work_mem=256MB&work_mem=64MB"
	pool, err := postgres.NewPool(tb.Context(), url, grownWorkers)
	if err != nil {
		tb.Fatal(err)
	}
	defer pool.Close()
	for _, together := range [][]string{{leaveIndexes}, size.parallel(firstGrown), {growLog}, size.parallel(lastGrown), forLarge("REINDEX TABLE %s"), sequenced, size.parallel(trees), analysed()} {
		if err := atOnce(tb.Context(), pool, together); err != nil {
			tb.Fatal(err)
		}
	}
}

// atOnce runs statements on all connections of a pool.
func atOnce(ctx context.Context, pool *pgxpool.Pool, statements []string) error {
	left, failed := make(chan string, len(statements)), make([]error, grownWorkers)
	for _, s := range statements {
		left <- s
	}
	close(left)
	var workers sync.WaitGroup
	for n := range grownWorkers {
		workers.Go(func() {
			for s := range left {
				if _, err := pool.Exec(ctx, s); err != nil {
					failed[n] = fmt.Errorf("fill with %.80q: %w", s, err)
				}
			}
		})
	}
	workers.Wait()
	return errors.Join(failed...)
}

// parallel writes the sizes into statements. One with a part {from} is split, so that
// several connections fill a large table.
func (g Grown) parallel(templates []string) (statements []string) {
	notes := g.Events - g.Practices - g.Staff - g.Patients
	for _, t := range templates {
		t = strings.NewReplacer("{events}", fmt.Sprint(g.Events), "{practices}", fmt.Sprint(g.Practices), "{staff}", fmt.Sprint(g.Staff), "{patients}", fmt.Sprint(g.Patients),
			"{entries}", fmt.Sprint(min(g.Entries, notes)), "{calls}", fmt.Sprint(g.Calls), "{deliveries}", fmt.Sprint(g.Deliveries), "{uploads}", fmt.Sprint(g.Uploads), "{notes}", fmt.Sprint(notes)).Replace(t)
		if !strings.Contains(t, "{from}") {
			statements = append(statements, t)
			continue
		}
		for n := range grownWorkers {
			statements = append(statements, strings.NewReplacer(
				"{from}", fmt.Sprint(n*notes/grownWorkers+1), "{until}", fmt.Sprint((n+1)*notes/grownWorkers)).Replace(t))
		}
	}
	return statements
}

// minted generates identifiers that begin with the time, as the program's do. Each
// prefix has its own.
func minted(prefix, n string) string {
	return `('0190` + prefix + `00007000' || lpad(to_hex(` + n + `), 16, '0'))::uuid`
}

const (
	eventsOf  = `INSERT INTO events (id, tenant, stream, version, name, patient, data, metadata, recorded_at) `
	byStaff   = `'{"actor":{"kind":"staff","id":"' || md5('staff' || n % {staff})::uuid || '"},"requestId":"0190c7a2-0000-7000-8000-00000000000b"}'`
	byService = `'{"actor":{"kind":"service","id":"frontdesk"}}'`
	practiceN = `'practice-' || 1 + n % {practices}`
	patientN  = `md5('patient' || n % {patients})::uuid`
	staffN    = `md5('staff' || n % {staff})::uuid`
	years     = `now() - interval '2 years' * (1 - n / {notes}::float8) - interval '1 hour'`
)

// firstGrown has no dependencies. A practice's staff and patients are those whose
// number has the same remainder.
var firstGrown = []string{
	eventsOf + `SELECT ` + minted("c7a2", "n") + `, ` + practiceN + `, ` + minted("c7a2", "n") + `, 1, 'care-record.note-created.v1', ` + patientN + `,
		'{"note":"' || ` + minted("c7a2", "n") + ` || '","patient":"' || ` + patientN + ` || '","text":"It hurts when I laugh. It hurts when I laugh."}', ` + byStaff + `, ` + years + `
	FROM generate_series({from}, {until}) n`,
	eventsOf + `SELECT gen_random_uuid(), ` + practiceN + `, gen_random_uuid(), 1, 'practice.registered.v1', NULL,
		'{"name":"Practice","timeZone":"Europe/London"}', ` + byService + `, now() - interval '2 years' FROM generate_series(1, {practices}) n`,
	eventsOf + `SELECT gen_random_uuid(), ` + practiceN + `, ` + staffN + `, 1, 'staff.registered.v1', NULL,
		'{"username":"user-' || n || '","name":"User","email":"user@practice.example","administrator":false}', ` + byService + `, now() - interval '2 years'
	FROM generate_series(1, {staff}) n`,
	eventsOf + `SELECT gen_random_uuid(), ` + practiceN + `, ` + patientN + `, 1, 'patient.registered.v1', ` + patientN + `,
		'{"patient":"' || ` + patientN + ` || '","name":"Ann Archer","birthDate":"1980-02-29"}', ` + byService + `, now() - interval '2 years'
	FROM generate_series(1, {patients}) n`,
	`INSERT INTO access_record SELECT ` + minted("ca11", "n") + `, now() - interval '1 second' * ({calls} - n), ` + practiceN + `, md5('app' || n % 200)::uuid,
		'user-restricted', ` + staffN + `, 'create-note', ` + patientN + `, CASE WHEN n % 10000 = 0 THEN 503 ELSE 200 END, '', '', NULL, decode(md5(n::text), 'hex')
	FROM generate_series(1, {calls}) n`,
	`INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status, finished_at)
	SELECT ` + minted("c7a2", "n") + `, md5('app' || n % 200)::uuid, n, ` + practiceN + `, 'note.created', ` + patientN + `, md5('destination' || n % 200)::uuid,
		now() - interval '1 second' * ({deliveries} - n), now(), CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'delivered' END, now() - interval '1 second' * ({deliveries} - n)
	FROM generate_series(1, {deliveries}) n`,
	`INSERT INTO delivered (event, application, idx, tenant, kind, patient, destination, happened_at, finished_at, status)
	SELECT ` + minted("c7a1", "n") + `, md5('app' || n % 200)::uuid, n, ` + practiceN + `, 'note.created', ` + patientN + `, md5('destination' || n % 200)::uuid,
		now() - interval '40 days' - interval '1 second' * ({deliveries} - n), now() - interval '40 days', CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'delivered' END
	FROM generate_series(1, {deliveries}) n`,
	`INSERT INTO practices SELECT ` + practiceN + `, 'Practice ' || n, 'Europe/London' FROM generate_series(1, {practices}) n`,
	`INSERT INTO applications SELECT md5('app' || n)::uuid, 'Application ' || n, 'https://app.example/' || n FROM generate_series(1, 200) n`,
	`INSERT INTO application_callbacks SELECT md5('app' || n)::uuid, 'https://app.example/cb' FROM generate_series(1, 200) n`,
	`INSERT INTO webhooks SELECT md5('app' || n)::uuid, e, 'https://app.example/hook', md5('destination' || n)::uuid FROM generate_series(1, 200) n,
		unnest(ARRAY['note.created', 'record.opened']) e`,
	`INSERT INTO endpoint_grants SELECT md5('app' || n)::uuid, e, m FROM generate_series(1, 200) n,
		unnest(ARRAY['create-patient-request', 'create-note', 'retrieve-care-record']) e, unnest(ARRAY['application-restricted', 'user-restricted']) m`,
	`INSERT INTO enablements SELECT ` + practiceN + `, md5('app' || a)::uuid FROM generate_series(1, {practices}) n, generate_series(1, 20) a`,
	`INSERT INTO staff (tenant, staff, username, name, email, administrator, credential) SELECT ` + practiceN + `, ` + staffN + `, 'user-' || n, 'User ' || n, 'user@practice.example', false, ` + staffN + `
		FROM generate_series(1, {staff}) n`,
	`INSERT INTO staff_passwords SELECT ` + practiceN + `, ` + staffN + `, ` + staffN + `, 'none' FROM generate_series(1, {staff}) n`,
	`INSERT INTO staff_sessions (token_hash, tenant, staff, credential, signed_in_at, seen_at, form_key)
		SELECT decode(md5(n::text), 'hex'), ` + practiceN + `, ` + staffN + `, ` + staffN + `, now() - interval '1 hour', now(), 'k' FROM generate_series(1, {staff}) n`,
	`INSERT INTO staff_devices SELECT decode(md5(n::text), 'hex'), ` + practiceN + `, ` + staffN + `, ` + staffN + `, 0, now() - interval '1 hour', now() - interval '1 hour' FROM generate_series(1, {staff}) n`,
	`INSERT INTO displays SELECT ` + practiceN + `, ` + staffN + `, 'Display ' || n, md5('site' || n)::uuid, 'number', decode(md5(n::text), 'hex'), now() + interval '1 hour', NULL, NULL FROM generate_series(1, {practices}) n`,
	`INSERT INTO display_sights SELECT ` + practiceN + `, ` + staffN + `, now() - interval '1 hour' FROM generate_series(1, {practices}) n`,
	`INSERT INTO staff_passkeys SELECT ` + practiceN + `, ` + staffN + `, ` + staffN + `, 'My phone', decode(md5(n::text), 'hex'), decode(md5(n::text), 'hex'), false, 0, NULL,
		now() - interval '1 day' FROM generate_series(1, {staff}) n`,
	`INSERT INTO staff_passkey_uses SELECT ` + practiceN + `, ` + staffN + `, ` + staffN + `, n, now() - interval '1 hour' FROM generate_series(1, {staff}) n`,
	`INSERT INTO staff_challenges SELECT decode(md5(n::text), 'hex'), now() + interval '1 hour' FROM generate_series(1, {staff}) n`,
	`INSERT INTO staff_sign_in_steps SELECT decode(md5(n::text), 'hex'), ` + practiceN + `, ` + staffN + `, ` + staffN + `, 0, now() + interval '1 hour' FROM generate_series(1, {staff}) n`,
	`INSERT INTO sign_in_tries (mark, tries, last_at, locked_until) SELECT decode(md5(n::text), 'hex'), 1, now() - interval '1 hour', now() - interval '1 hour' FROM generate_series(1, {staff}) n`,
	`INSERT INTO authorisations SELECT ` + practiceN + `, md5('app' || a)::uuid, ` + staffN + `, CASE WHEN a % 2 = 0 THEN '00000000-0000-0000-0000-000000000000' ELSE md5('patient' || n)::uuid END,
		now() - interval '1 day' * (a - 2) FROM generate_series(1, {staff}) n, generate_series(1, 6) a`,
	`INSERT INTO patients (tenant, patient, restricted) SELECT ` + practiceN + `, ` + patientN + `, n % 100 = 0 FROM generate_series(1, {patients}) n`,
	`INSERT INTO record_restrictions SELECT ` + practiceN + `, ` + patientN + `, ` + staffN + ` FROM generate_series(100, {patients}, 100) n`,
	`INSERT INTO broken_glass SELECT ` + practiceN + `, md5('glass' || n)::uuid, ` + patientN + `, ` + staffN + `, now() - interval '1 minute' * n, now() - interval '1 minute' * (n - 30) FROM generate_series(100, {patients}, 100) n`,
	`INSERT INTO patient_searches SELECT md5('session' || n)::uuid, md5('search' || n)::uuid, ARRAY[md5('patient' || n)::uuid], now() - interval '10 milliseconds' * n FROM generate_series(1, {staff}) n`,
	`INSERT INTO intakes (tenant, request_type, switched_off) SELECT ` + practiceN + `, t, false FROM generate_series(1, {practices}) n, unnest(ARRAY['medical', 'admin', 'prescription']) t`,
	`INSERT INTO teams SELECT ` + practiceN + `, gen_random_uuid(), 'Team ' || t, '{}' FROM generate_series(1, {practices}) n, generate_series(1, 5) t`,
	`INSERT INTO note_templates SELECT ` + practiceN + `, 'Template ' || t, 'Rang, no answer.' FROM generate_series(1, {practices}) n, generate_series(1, 5) t`,
	`INSERT INTO saved_filters SELECT ` + practiceN + `, ` + staffN + `, '?tab=new&urgent=yes' FROM generate_series(1, {staff}) n`,
	`INSERT INTO sign_ins SELECT ` + practiceN + `, ` + staffN + `, now() - interval '1 hour' * a, md5('session' || n || a)::uuid, 'password' FROM generate_series(1, {staff}) n, generate_series(1, 5) a`,
	`INSERT INTO closures SELECT ` + practiceN + `, '{}' FROM generate_series(1, {practices}) n`,
	`INSERT INTO sites SELECT ` + practiceN + `, md5('site' || n)::uuid, 'Main' FROM generate_series(1, {practices}) n`,
	`INSERT INTO rooms SELECT ` + practiceN + `, md5('room' || n || r)::uuid, md5('site' || n)::uuid, 'Room ' || r FROM generate_series(1, {practices}) n, generate_series(1, 10) r`,
	`INSERT INTO appointments SELECT ` + practiceN + `, md5('visit' || n)::uuid, ` + patientN + `, md5('site' || n % {practices})::uuid, now() - interval '1 minute' * n, 'booked', NULL, NULL, NULL, md5('member' || n % 100)::uuid, 10, 'telephone' FROM generate_series(1, {patients}) n`,
	`INSERT INTO inbox SELECT ` + practiceN + `, ` + minted("c7a2", "n") + `, ` + patientN + `, CASE WHEN n % 3 = 0 THEN 'admin' ELSE 'medical' END, n % 50 = 0, false, 0, now() - interval '1 minute' * n, n,
		CASE WHEN n % 20 <> 0 THEN ` + staffN + ` END, CASE WHEN n % 10 <> 0 THEN now() - interval '1 second' * n END FROM generate_series(1, {patients}) n`,
	`INSERT INTO answers SELECT ` + practiceN + `, decode(md5(n::text), 'hex'), decode(md5(n::text), 'hex'), ` + minted("c7a2", "n") + `, now() - interval '1 hour' * random(), NULL, '' FROM generate_series(1, {uploads}) n`,
	`INSERT INTO uploads SELECT ` + practiceN + `, md5('upload' || n)::uuid, now() - interval '1 minute' * n - interval '2 days' FROM generate_series(1, {uploads}) n`,
	`INSERT INTO upload_chunks SELECT ` + practiceN + `, md5('upload' || n)::uuid, 0, 'a file' FROM generate_series(1, {uploads}) n`,
	`INSERT INTO attachments SELECT ` + practiceN + `, md5('upload' || n)::uuid, ` + minted("c7a2", "n") + `, ` + patientN + `, 6, decode(md5(n::text), 'hex') FROM generate_series(1, {uploads}) n`,
}

const growLog = `INSERT INTO log (idx, position) SELECT row_number() OVER (ORDER BY position), position FROM events`

var lastGrown = []string{
	`INSERT INTO record_entries SELECT ` + practiceN + `, ` + patientN + `, ` + minted("c7a2", "n") + `, ` + staffN + `, ` + years + ` FROM generate_series({notes} - {entries} + 1, {notes}) n`,
	`INSERT INTO timeline SELECT ` + practiceN + `, ` + patientN + `, n, 'note', ` + minted("c7a2", "n") + `, 'staff:' || ` + staffN + `, ` + years + ` FROM generate_series({notes} - {entries} + 1, {notes}) n`,
}

// The trees have the size of the log, but no valid hashes: no test makes proofs from
// them.
var trees = []string{
	`INSERT INTO trees (tenant, kind, size) SELECT ` + practiceN + `, 1, {events} / {practices} FROM generate_series(1, {practices}) n`,
	`INSERT INTO tree_tiles (tenant, kind, n, first_idx, root, hashes) SELECT ` + practiceN + `, 1, tile, tile * 256 * {practices} + n, sha256('root'), decode(repeat(md5(n::text), 512), 'hex')
		FROM generate_series(1, {practices}) n, generate_series(0, {events} / {practices} / 256 - 1) tile`,
	`INSERT INTO tree_tail (tenant, kind, n, first_idx, hashes) SELECT ` + practiceN + `, 1, leaf, leaf * {practices} + n, sha256('leaf')
		FROM generate_series(1, {practices}) n, generate_series({events} / {practices} / 256 * 256, {events} / {practices} - 1) leaf`,
	`UPDATE prover SET idx = {events} WHERE kind = 1`,
}

var sequenced = []string{
	`UPDATE sequencer SET (head, reached) = (SELECT max(idx), max(position) FROM log)`,
	`INSERT INTO feed_offsets SELECT consumer, max(idx) FROM log, unnest(ARRAY['timeline.v1', 'inbox.v1', 'webhooks.v1']) consumer GROUP BY consumer`,
}

// large are the tables for which that is worthwhile.
var large = []string{"events", "access_record_default", "deliveries", "delivered_default", "timeline", "record_entries", "log", "appointments", "patients", "inbox"}

var leaveIndexes = `UPDATE pg_index SET (indisready, indisvalid) = (false, false) WHERE indrelid::regclass::text IN ('` + strings.Join(large, "', '") + `')`

func forLarge(statement string) (all []string) {
	for _, table := range large {
		all = append(all, fmt.Sprintf(statement, table))
	}
	return all
}

// analysed starts with the largest tables.
func analysed() []string { return append(forLarge("VACUUM (ANALYZE) %s"), "ANALYZE") }
