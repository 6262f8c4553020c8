package accesslog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
)

// questioned counts how often the database was asked.
type questioned struct {
	postgres.Conn
	n int
}

func (c *questioned) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	c.n++
	return c.Conn.Query(ctx, sql, args...)
}

func (c *questioned) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	c.n++
	return c.Conn.Exec(ctx, sql, args...)
}

// keyring is one that has fetched nothing yet.
func (r *register) keyring(t *testing.T) (*keyring.Keyring, *questioned) {
	t.Helper()
	conn := &questioned{Conn: r.Pool}
	keys := &keyring.Keyring{DB: postgres.On(conn), Masters: sealing.NewRing(sealing.MasterKey{1})}
	if err := keys.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn.n = 0
	return keys, conn
}

// practice makes a practice, in which something has happened.
func (r *register) practice(t *testing.T, tenant string) {
	t.Helper()
	enginetest.MustExec(t, r.db.AdminPool(t), `INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
		VALUES (gen_random_uuid(), '`+tenant+`', gen_random_uuid(), 1, 'test.noted.v1', '{}', '{}', now())`)
}

// opened returns the written calls, oldest first, decrypted.
func (r *register) opened(t *testing.T) (calls []access.Call, err error) {
	t.Helper()
	read := r.read
	read.Keys, _ = r.keyring(t)
	for c, err := range read.Calls(t.Context(), accesslog.CallFilter{}) {
		if err != nil {
			return nil, err
		}
		c.Idx = 0
		calls = append([]access.Call{c}, calls...)
	}
	return calls, nil
}

// actFor is the act claim of a practitioner.
func actFor(name string) *event.OnBehalfOf {
	return &event.OnBehalfOf{
		Practitioner: event.Practitioner{Name: name, Email: name + "@elm.example", GMCNumber: "7654321"},
		Organisation: event.Organisation{Name: "Oak Lane", ODSCode: "A1"},
	}
}

func callFor(name string) access.Call {
	c := aCall()
	c.Act = actFor(name)
	return c
}

func (r *register) count(t *testing.T, query string) (n int) {
	t.Helper()
	if err := r.Pool.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestActorOfCallIsEncrypted_D37(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	calls := []access.Call{callFor("zoe"), aPing(), callFor("lee"), callFor("zoe"), aCall()}
	calls[4].Act = &event.OnBehalfOf{Organisation: event.Organisation{Name: "Oak Lane"}}
	for _, c := range calls {
		r.Record(c)
	}
	r.runOnce(t)

	if got, err := r.opened(t); err != nil || !cmp.Equal(calls, got) {
		t.Errorf("decrypted: %v (-want +got):\n%s", err, cmp.Diff(calls, got))
	}
	r.read.Keys = nil
	for _, c := range r.written(t, accesslog.CallFilter{}) {
		if c.Act != nil && (strings.Contains(fmt.Sprint(*c.Act), "zoe") || c.Act.Organisation.Name != "Oak Lane") {
			t.Errorf("others read %v", *c.Act)
		}
	}
	if n := r.count(t, `SELECT count(*) FROM access_record a WHERE a::text ~* 'zoe|lee|7654321' OR encode(sealed, 'escape') ~* 'zoe|lee|7654321'`); n > 0 {
		t.Errorf("%d lines name the practitioner", n)
	}
	if n := r.count(t, `SELECT count(*) FROM personal_keys WHERE tenant = 'elm-street'`); n != 3 {
		t.Errorf("two practitioners and their practice have %d keys", n)
	}
}

// The recorder asks for the keys of a batch together, however many they are.
func TestTheKeysOfABatchAreFetchedTogether(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	keys, conn := r.keyring(t)
	r.Keys = keys
	for n := range 7 {
		r.practice(t, fmt.Sprint("practice-", n))
	}
	for n := range 100 {
		c := callFor(fmt.Sprint("dr", n%50))
		c.Tenant = fmt.Sprint("practice-", n%7)
		r.Record(c)
	}
	r.runOnce(t)
	if conn.n > 6 {
		t.Errorf("%d questions for the keys of a batch", conn.n)
	}
	conn.n = 0
	for n := range 100 {
		c := callFor(fmt.Sprint("dr", n%50))
		c.Tenant = fmt.Sprint("practice-", n%7)
		if _, _, err := r.SealActs(t.Context(), []access.Call{c}); err != nil {
			t.Fatal(err)
		}
	}
	if conn.n > 0 {
		t.Errorf("%d questions for keys that are known", conn.n)
	}
	r.wantLost(t, 0)
}

func TestAnErasedPractitionerIsInNoLine(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	r.Record(callFor("zoe"))
	r.Record(callFor("lee"))
	r.runOnce(t)
	enginetest.MustExec(t, r.db.AdminPool(t), `
		INSERT INTO erasures SELECT tenant, kind, holder, now(), gen_random_uuid(), holder, 2, '' FROM personal_keys
			WHERE kind = 3 AND holder = (SELECT encode(substr(sealed, 3, 16), 'hex')::uuid FROM access_record ORDER BY request_id LIMIT 1);
		DELETE FROM personal_keys k USING erasures e WHERE k.holder = e.holder`)

	again := newRegisterOn(t, r)
	again.Record(callFor("zoe"))
	again.runOnce(t)
	got, err := r.opened(t)
	if err != nil || len(got) != 3 {
		t.Fatalf("%d lines are read, %v", len(got), err)
	}
	erased := event.Practitioner{Name: event.Erased, Email: event.Erased, GMCNumber: event.Erased}
	if got[0].Act.Practitioner != erased || got[1].Act.Practitioner != actFor("lee").Practitioner || got[2].Act.Practitioner != erased {
		t.Errorf("read as %v, %v, %v", got[0].Act, got[1].Act, got[2].Act)
	}
	if n := r.count(t, `SELECT count(*) FROM personal_keys WHERE kind = 3`); n != 1 {
		t.Errorf("%d practitioners have keys", n)
	}
}

// newRegisterOn returns another process on the same database.
func newRegisterOn(t *testing.T, r *register) *register {
	t.Helper()
	other := newRegister(t)
	other.Pool = r.Pool
	other.Keys, _ = other.keyring(t)
	return other
}

func TestABoxOpensOnlyInItsLine(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]error{
		`UPDATE access_record SET sealed = (SELECT sealed FROM access_record ORDER BY request_id LIMIT 1)`: sealing.ErrForeignBox,
		`UPDATE access_record SET sealed = set_byte(sealed, 60, get_byte(sealed, 60) # 1)`:                 sealing.ErrForeignBox,
		`UPDATE access_record SET sealed = sealed || sealed`:                                               sealing.ErrNotABox,
		`UPDATE access_record SET sealed = ''`:                                                             sealing.ErrNotABox,
		`DELETE FROM personal_keys WHERE kind = 3`:                                                         keyring.ErrKeyLost,
		`UPDATE access_record SET act = '{}'`:                                                              event.ErrOtherValues,
	} {
		r := newRegister(t)
		r.Record(callFor("zoe"))
		r.Record(callFor("zoe"))
		r.runOnce(t)
		enginetest.MustExec(t, r.db.AdminPool(t), `ALTER TABLE access_record DISABLE TRIGGER ALL; `+change)
		if got, err := r.opened(t); !errors.Is(err, want) {
			t.Errorf("%s: %v, %v", change, got, err)
		}
	}
}

// A token may name any practice. An unknown one gets no keys, and personal values of its
// calls are not kept.
func TestUnknownPracticeHasNoKeys_D69(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	invented := callFor("zoe")
	invented.Tenant = "nowhere"
	for _, c := range []access.Call{invented, callFor("lee")} {
		r.Record(c)
	}
	r.runOnce(t)
	if n := r.count(t, `SELECT count(*) FROM personal_keys WHERE tenant = 'nowhere'`); n > 0 {
		t.Errorf("it has %d keys", n)
	}
	got, err := r.opened(t)
	if err != nil || len(got) != 2 || got[0].Act.Practitioner.Name != event.Hidden || got[1].Act.Practitioner.Name != "lee" {
		t.Errorf("read as %v, %v", got, err)
	}
}
