package eventstore_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// forger has the serving role and psql.
type forger struct {
	*ward
	serving *pgxpool.Pool
}

func newForger(t *testing.T) *forger {
	t.Helper()
	db := postgrestest.New(t)
	return &forger{newWard(t, db, db.URL), db.Pool(t)}
}

// insert inserts an event about a patient, in the next version of their stream.
func (f *forger) insert(t *testing.T, tenant string, about patient.ID, actor event.Actor, e event.Event) error {
	t.Helper()
	data, err := json.Marshal(e)
	f.do(t, err)
	metadata, err := json.Marshal(event.Metadata{Actor: actor})
	f.do(t, err)
	stream := patient.StreamOf(tenant, about).ID
	_, err = f.serving.Exec(t.Context(), `INSERT INTO events (id, tenant, stream, version, name, patient, data, metadata, recorded_at)
		SELECT gen_random_uuid(), $1, $2, coalesce(max(version), 0) + 1, $3, $4, $5, $6, now() - interval '2 days' FROM events WHERE tenant = $1 AND stream = $2`,
		tenant, stream, e.EventName(), about, string(data), string(metadata))
	return err
}

// keysOf returns the keys of a patient, as an erasure names them.
func (f *forger) keysOf(t *testing.T, about patient.ID) []erasure.Key {
	t.Helper()
	k := erasure.Key{Kind: event.OfPatient, Holder: about.UUID}
	f.do(t, f.super.QueryRow(t.Context(), `SELECT encode(fingerprint, 'hex') FROM personal_keys WHERE kind = 1 AND holder = $1`, about).Scan(&k.Fingerprint))
	return []erasure.Key{k}
}

func wantRefused(t *testing.T, what string, err error, constraint, code string) {
	t.Helper()
	refused, is := errors.AsType[*pgconn.PgError](err)
	if !is || refused.ConstraintName != constraint || code != "" && refused.Code != code {
		t.Errorf("%s: %v", what, err)
	}
}

// Anyone with the serving role and psql destroys no key that two events, a day apart, do not
// name.
func TestServingRoleCannotEraseAlone_D135(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	ann, bill := f.register(t), f.register(t)
	keys := f.keysOf(t, ann)
	const denied = "42501"
	for what, sql := range map[string]string{
		"delete a key":                `DELETE FROM personal_keys`,
		"insert an erasure":           `INSERT INTO erasures (tenant, kind, holder, fingerprint, erased_at, erasure, stream, version) VALUES ('elm-street', 1, gen_random_uuid(), '', now(), gen_random_uuid(), gen_random_uuid(), 1)`,
		"change the time of requests": `INSERT INTO erasures_requested VALUES ('elm-street', gen_random_uuid(), gen_random_uuid(), 1, '2020-01-01')`,
		"move the clock":              `CREATE SCHEMA sandbox`,
	} {
		_, err := f.serving.Exec(t.Context(), sql)
		wantRefused(t, what, err, "", denied)
	}

	alice, bob := event.Operator("alice", ""), event.Operator("bob", "")
	request := erasure.Request{Erasure: erasure.ID{UUID: uuid.New()}, Basis: erasure.CourtOrder, RequestedBy: alice, RequestedAt: f.clock.Now().Add(-48 * time.Hour)}
	done := func(keys []erasure.Key) patient.Erased {
		return patient.Erased{Patient: ann, Done: erasure.Done{Erasure: request.Erasure, Basis: request.Basis, RequestedBy: alice, ConfirmedBy: bob, Keys: keys}}
	}
	restored := done(keys)
	restored.Basis = erasure.Restored
	wantRefused(t, "without a request", f.insert(t, street, ann, bob, done(keys)), "erasure_requested", "")
	wantRefused(t, "as after a restore", f.insert(t, street, ann, bob, restored), "", denied)
	f.do(t, f.insert(t, street, ann, alice, patient.ErasureRequested{Patient: ann, Request: request}))
	wantRefused(t, "with a request of which the time is forged", f.insert(t, street, ann, bob, done(keys)), "erasure_waits", "")
	f.db.PassClock(t, erasure.Soonest)
	wantRefused(t, "by one person", f.insert(t, street, ann, alice, done(keys)), "erasure_two_people", "")
	wantRefused(t, "with another patient's key", f.insert(t, street, ann, bob, done(append(f.keysOf(t, bill), keys...))), "erasure_keys", "")
	wantRefused(t, "without the patient's key", f.insert(t, street, ann, bob, done(f.keysOf(t, bill))), "erasure_keys", "")
	wantRefused(t, "with another fingerprint", f.insert(t, street, ann, bob, done([]erasure.Key{{Kind: event.OfPatient, Holder: ann.UUID, Fingerprint: "00"}})), "erasure_keys", "")
	wantRefused(t, "at another practice", f.insert(t, "oak-lane", ann, bob, done(keys)), "erasure_requested", "")
	hold := erasure.Hold{Hold: erasure.HoldID{UUID: uuid.New()}}
	f.do(t, f.insert(t, street, ann, alice, patient.ErasureHeld{Patient: ann, Hold: hold}))
	wantRefused(t, "while the data are held", f.insert(t, street, ann, bob, done(keys)), "erasure_held", "")
	f.do(t, f.insert(t, street, ann, alice, patient.ErasureHoldLifted{Patient: ann, Hold: hold}))
	if n := f.count(t, `SELECT count(*) FROM personal_keys WHERE kind = 1`); n != 2 {
		t.Fatalf("%d of 2 keys are left", n)
	}

	f.do(t, f.insert(t, street, ann, bob, done(keys)))
	wantRefused(t, "twice", f.insert(t, street, ann, bob, done(keys)), "erasure_requested", "")
	if n := f.count(t, `SELECT count(*) FROM personal_keys WHERE kind = 1`); n != 1 {
		t.Errorf("%d keys are left, want the other patient's", n)
	}
	if n := f.count(t, `SELECT count(*) FROM erasures WHERE holder = $1 AND erasure = $2`, ann, request.Erasure); n != 1 {
		t.Errorf("the erasure has %d rows", n)
	}
}

// A request lapses after 30 days, and a withdrawal ends it.
func TestRequestEndsInTheDatabase_D135(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	alice, bob := event.Operator("alice", ""), event.Operator("bob", "")
	for what, end := range map[string]func(patient.ID, erasure.ID){
		"after 30 days": func(patient.ID, erasure.ID) { f.db.PassClock(t, erasure.Latest+time.Minute) },
		"withdrawn": func(id patient.ID, e erasure.ID) {
			f.do(t, f.insert(t, street, id, alice, patient.ErasureWithdrawn{Patient: id, Withdrawal: erasure.Withdrawal{Erasure: e}}))
			f.db.PassClock(t, erasure.Soonest)
		},
	} {
		ann, e := f.register(t), erasure.ID{UUID: uuid.New()}
		f.do(t, f.insert(t, street, ann, alice, patient.ErasureRequested{Patient: ann, Request: erasure.Request{Erasure: e}}))
		end(ann, e)
		err := f.insert(t, street, ann, bob, patient.Erased{Patient: ann, Done: erasure.Done{Erasure: e, Keys: f.keysOf(t, ann)}})
		wantRefused(t, what, err, "erasure_requested", "")
	}
}

// A process whose clock is a day ahead asks and confirms within a minute.
func TestErasureWaitsByTheDatabasesClock_D135(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	ann := f.register(t)
	asked, err := f.processes[0].desk.ErasePatient(operatedBy(t.Context(), "alice"), commands.ErasePatient{
		Tenant: street, Patient: ann, Basis: erasure.RetentionEnded, Reason: "ten years have passed",
	})
	f.do(t, err)
	f.clock.Pass(erasure.Soonest)
	confirm := commands.ConfirmErasure{Person: asked.Person, Erasure: asked.Erasure}
	if err := f.processes[1].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), confirm); !errors.Is(err, erasure.ErrTooSoon) {
		t.Errorf("confirmed by a clock that is a day ahead: %v", err)
	}
	f.db.PassClock(t, erasure.Soonest)
	f.do(t, f.processes[1].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), confirm))
}

// An owner who is no superuser cannot move the clock: the table must be a superuser's.
func TestOwnerMovesNoClock_D135(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	owner := db.AdminPool(t)
	enginetest.MustExec(t, owner, `CREATE SCHEMA sandbox; CREATE TABLE sandbox.moved_clock (ahead interval NOT NULL); INSERT INTO sandbox.moved_clock VALUES ('2 days')`)
	var moved bool
	if err := owner.QueryRow(t.Context(), `SELECT erasure_clock() > now() + interval '1 day'`).Scan(&moved); err != nil || moved {
		t.Errorf("moved: %t, %v", moved, err)
	}
}

// The serving role deletes no file that an event names.
func TestServingRoleKeepsNamedFiles_D135(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	ann, bill := f.register(t), f.register(t)
	for n, about := range []patient.ID{ann, bill} {
		id := [16]byte{15: byte(n + 1)}
		for _, sql := range []string{
			`INSERT INTO uploads (tenant, upload, started_at) VALUES ('elm-street', $1, now())`,
			`INSERT INTO attachments (tenant, attachment, request, patient, size, sha256) VALUES ('elm-street', $1, $1, '` + about.String() + `', 1, '')`,
			`UPDATE uploads SET named = true WHERE upload = $1`,
		} {
			_, err := f.serving.Exec(t.Context(), sql, id)
			f.do(t, err)
		}
	}
	f.do(t, f.processes[0].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), f.askFor(t, ann)))
	for what, sql := range map[string]string{
		"no longer named":       `UPDATE uploads SET named = false WHERE named`,
		"deleted":               `DELETE FROM uploads WHERE named`,
		"unlinked":              `DELETE FROM attachments`,
		"moved to the erased":   `UPDATE attachments SET patient = '` + ann.String() + `'`,
		"linked to another one": `UPDATE attachments SET attachment = gen_random_uuid()`,
	} {
		if _, err := f.serving.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "42501") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if n := f.count(t, `SELECT count(*) FROM uploads WHERE NOT named`); n != 1 {
		t.Errorf("%d files are free, want that of the patient who is erased", n)
	}
}
