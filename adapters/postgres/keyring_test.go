package postgres_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

var master = sealing.MasterKey{1, 2, 3}

// vault is an engine whose store seals.
type vault struct {
	*engine
	db *postgrestest.Database
}

func newVault(t testing.TB) *vault {
	t.Helper()
	db := postgrestest.New(t)
	v := &vault{engineOn(t, db.URL), db}
	codec, err := event.NewCodec(append(eventtest.Events(), domain.Events()...)...)
	if err != nil {
		t.Fatal(err)
	}
	v.store.Codec, v.log.Codec = codec, codec
	v.store.Keys = v.keyring(t, nil)
	return v
}

// keyring returns the keyring of another process.
func (v *vault) keyring(t testing.TB, now func() time.Time) *postgres.Keyring {
	t.Helper()
	k := &postgres.Keyring{DB: v.store.DB, Codec: v.store.Codec, Master: master, Now: now}
	if err := k.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return k
}

// cold returns the keyring of a process that has just started, and counts what it asks.
func (v *vault) cold(t testing.TB) (*postgres.Keyring, *counting) {
	t.Helper()
	asked := &counting{}
	pool, err := postgres.NewTracedPool(t.Context(), v.db.URL, 2, asked, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	k := v.keyring(t, nil)
	k.DB = postgres.On(pool)
	return k, asked
}

func (v *vault) register(t testing.TB) uuid.UUID {
	t.Helper()
	id := uuid.New()
	v.registerAs(t, id)
	return id
}

func (v *vault) registerAs(t testing.TB, id uuid.UUID) {
	t.Helper()
	v.append(t, streamOf(id), 0, patient.Registered{Patient: patient.ID{UUID: id}, Name: "Ann Archer", BirthDate: "1980-02-29"})
}

func streamOf(id uuid.UUID) event.Stream {
	return patient.StreamOf("elm-street", patient.ID{UUID: id})
}

func (v *vault) note(ctx context.Context, about uuid.UUID) error {
	return second(v.store.Append(ctx, event.Change{Stream: newStream(), Events: []event.Event{eventtest.Noted{Patient: about, Note: "It hurts."}}}))
}

// notes returns what a keyring reads of all notes.
func (v *vault) notes(t testing.TB, k *postgres.Keyring) ([]string, error) {
	t.Helper()
	if err := v.sequencer().Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	var notes []string
	for e, err := range (postgres.Log{DB: v.pool, Codec: v.store.Codec, Opens: k}).After(t.Context(), 0) {
		if err != nil {
			return notes, err
		}
		if noted, is := e.Event.(eventtest.Noted); is {
			notes = append(notes, noted.Note)
		}
	}
	return notes, nil
}

func (v *vault) wantNotes(t testing.TB, k *postgres.Keyring, want ...string) {
	t.Helper()
	if got, err := v.notes(t, k); err != nil || !slices.Equal(got, want) {
		t.Errorf("notes %q, %v; want %q", got, err, want)
	}
}

func (v *vault) do(t testing.TB, sql string, args ...any) {
	t.Helper()
	if _, err := v.db.SuperuserPool(t).Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func (v *vault) scan(t testing.TB, sql string) (text string) {
	t.Helper()
	if err := v.pool.QueryRow(t.Context(), sql).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

// act is a context whose call names a practitioner.
func act(ctx context.Context, email string) context.Context {
	by := event.Application(uuid.New(), "application-restricted", &event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Dr Bell", Email: email}})
	return event.WithMetadata(ctx, event.Metadata{Actor: by})
}

func TestWhatIsPersonalIsSealed_D68(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann := v.register(t)
	if err := v.note(act(t.Context(), "bell@elm.example"), ann); err != nil {
		t.Fatal(err)
	}
	stored := v.scan(t, `SELECT string_agg(data || metadata || encode(sealed, 'escape'), ' ') FROM events`)
	for _, personal := range []string{"Archer", "1980", "hurts", "Bell", "bell@"} {
		if strings.Contains(stored, personal) {
			t.Errorf("%q is stored in clear", personal)
		}
	}
	v.wantNotes(t, v.keyring(t, nil), "It hurts.")
	v.wantNotes(t, &postgres.Keyring{DB: v.store.DB, Codec: v.store.Codec}, event.Hidden) // no master key
	history, err := v.store.Load(t.Context(), streamOf(ann))
	if err != nil || history[0].(patient.Registered).Name != event.Hidden {
		t.Errorf("a decision sees %v, %v", history, err)
	}
}

// A key may be missing for three reasons.
func TestAKeyThatIsLostIsToldFromOneThatWasDestroyed_D68(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann, bill := v.register(t), v.register(t)
	for _, about := range []uuid.UUID{ann, bill} {
		if err := v.note(t.Context(), about); err != nil {
			t.Fatal(err)
		}
	}
	v.do(t, `DELETE FROM personal_keys WHERE holder = $1`, ann)
	erase(t, v.db.SuperuserPool(t), event.OfPatient, ann)
	v.wantNotes(t, v.keyring(t, nil), event.Erased, "It hurts.")

	v.do(t, `DELETE FROM personal_keys WHERE holder = $1`, bill)
	_, err := v.notes(t, v.keyring(t, nil))
	if !errors.Is(err, postgres.ErrKeyLost) || !strings.Contains(err.Error(), "patient "+bill.String()) || strings.Contains(err.Error(), "hurts") {
		t.Errorf("read: %v, want %v and whose it is", err, postgres.ErrKeyLost)
	}
	v.store.Keys = v.keyring(t, nil)
	wantErased(t, "a note about who was erased", v.note(t.Context(), ann))
	if err := v.note(t.Context(), bill); !errors.Is(err, postgres.ErrKeyLost) {
		t.Errorf("append: %v, want %v", err, postgres.ErrKeyLost)
	}
	if err := v.note(t.Context(), uuid.New()); !errors.Is(err, postgres.ErrKeyLost) {
		t.Errorf("about nobody: %v, want %v", err, postgres.ErrKeyLost)
	}
}

// What a request holds has a key of its own, which belongs to the patient.
func TestARequestHasAKeyOfItsOwn_D68(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann, stream := v.register(t), newStream()
	v.append(t, stream, 0, request.Submitted{Patient: patient.ID{UUID: ann}, Type: request.Medical, Response: []request.Answer{{Answer: "It hurts."}}})
	got := v.scan(t, `SELECT string_agg(kind || ' ' || holder || ' ' || coalesce(patient::text, 'none'), ', ' ORDER BY kind) FROM personal_keys`)
	if want := "1 " + ann.String() + " none, 4 " + stream.ID.String() + " " + ann.String(); got != want {
		t.Errorf("keys of %s, want %s", got, want)
	}
}

func TestAFailedAppendKeepsNoKey_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann := v.register(t)
	other := v.keyring(t, nil)
	v.store.Keys = other
	again := event.Change{Stream: streamOf(ann), Events: []event.Event{patient.Registered{Patient: patient.ID{UUID: ann}, Name: "Other"}}}
	if _, err := v.store.Append(t.Context(), again); !errors.Is(err, event.ErrConflict) {
		t.Errorf("registered twice: %v", err)
	}
	if held := postgres.HeldKeys(other); held != 0 {
		t.Errorf("%d keys are kept", held)
	}
	if err := v.note(t.Context(), ann); err != nil || postgres.HeldKeys(other) != 1 {
		t.Errorf("%v, %d keys are kept", err, postgres.HeldKeys(other))
	}
	v.wantNotes(t, v.keyring(t, nil), "It hurts.")
}

// Each of two processes that know no practitioner makes a key. One is told to decide
// again, and then finds the other's.
func TestTwoWhoMakeTheSameKeyEndWithOne_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann := v.register(t)
	var all sync.WaitGroup
	for range 8 {
		store := &postgres.Store{DB: v.store.DB, Codec: v.store.Codec, Keys: v.keyring(t, nil), Now: time.Now}
		all.Go(func() {
			for {
				_, err := store.Append(act(t.Context(), "Bell@elm.example"), event.Change{Stream: newStream(), Events: []event.Event{eventtest.Noted{Patient: ann, Note: "n"}}})
				if err == nil {
					return
				}
				if !errors.Is(err, event.ErrConflict) {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if got := v.scan(t, `SELECT string_agg(kind::text, ',' ORDER BY kind) FROM personal_keys`); got != "0,1,3" {
		t.Errorf("keys of kinds %s, want one of the practice, the patient and the practitioner each", got)
	}
	v.wantNotes(t, v.keyring(t, nil), slices.Repeat([]string{"n"}, 8)...)
}

// A page may have more holders than a keyring remembers, and asks once.
func TestAPageIsOpenedWithOneQuestion_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	for range 9 {
		if err := v.note(t.Context(), v.register(t)); err != nil {
			t.Fatal(err)
		}
	}
	k, asked := v.cold(t)
	postgres.RememberKeys(k, 4)
	v.wantNotes(t, k, slices.Repeat([]string{"It hurts."}, 9)...)
	if asked.n != 1 || postgres.HeldKeys(k) != 4 {
		t.Errorf("%d questions, %d keys are kept; want 1 and 4", asked.n, postgres.HeldKeys(k))
	}
}

// Whatever an append begins is not asked for. The key of a patient is fetched once, with
// the key by which the practice knows practitioners.
func TestAnAppendAsksForFewKeys_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann := v.register(t)
	bell := act(t.Context(), "bell@elm.example")
	if err := v.note(bell, ann); err != nil {
		t.Fatal(err)
	}
	submitted := func() error {
		request := request.Submitted{Patient: patient.ID{UUID: ann}, Response: []request.Answer{{Answer: "It hurts."}}}
		return second(v.store.Append(t.Context(), event.Change{Stream: newStream(), Events: []event.Event{request}}))
	}
	var asked *counting
	for _, c := range []struct {
		what     string
		do       func() error
		expected int
	}{
		{"a request", submitted, 0},
		{"a patient", func() error { v.register(t); return nil }, 0},
		{"a note about a cold patient", func() error { return v.note(t.Context(), ann) }, 1},
		{"another one", func() error { return v.note(t.Context(), ann) }, 0},
		{"one for a cold practitioner", func() error { return v.note(bell, ann) }, 2},
		{"another one", func() error { return v.note(bell, ann) }, 0},
	} {
		if c.what != "another one" {
			v.store.Keys, asked = v.cold(t)
		}
		before := asked.n
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		if got := asked.n - before; got != c.expected {
			t.Errorf("%s: %d questions for keys, want %d", c.what, got, c.expected)
		}
	}
}

func TestWrongMasterKeysAreNamed_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	other := &postgres.Keyring{DB: v.store.DB, Master: sealing.MasterKey{9}}
	err := other.Start(t.Context())
	want := "the personal data in this database is sealed under master key " + master.ID() + "; the one given is " + sealing.MasterKey{9}.ID()
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := v.note(t.Context(), v.register(t)); err != nil {
		t.Fatal(err)
	}
	v.do(t, `INSERT INTO master_keys VALUES ('0f', now(), now())`)
	v.do(t, `UPDATE personal_keys SET master = '0f'`)
	_, err = v.notes(t, v.keyring(t, nil))
	if named, is := errors.AsType[*postgres.OtherMasterKeyError](err); !is || named.Is != "0f" || named.Given != master.ID() {
		t.Errorf("read: %v", err)
	}
}

// A wrapped key that was altered or exchanged is neither lost nor destroyed.
func TestAnExchangedKeyOpensNothing_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann, bill := v.register(t), v.register(t)
	v.do(t, `UPDATE personal_keys a SET wrapped = b.wrapped FROM personal_keys b WHERE a.holder = $1 AND b.holder = $2`, ann, bill)
	if err := v.note(t.Context(), ann); err != nil {
		t.Fatal(err) // its key is in memory
	}
	if _, err := v.notes(t, v.keyring(t, nil)); err == nil || errors.Is(err, postgres.ErrKeyLost) || !strings.Contains(err.Error(), ann.String()) {
		t.Errorf("read: %v, want to be told whose key was altered", err)
	}
}

// Two of a group make the key of the same practitioner, so the group falls apart.
func TestInAGroupKeysAreMadeOnce_D69(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, "")
	c.store.Keys = &postgres.Keyring{DB: c.store.DB, Codec: c.store.Codec, Master: master}
	if err := c.store.Keys.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	outcomes := c.join(act(t.Context(), "one@elm.example"), t, "a")
	for n, email := range []string{"two@elm.example", "one@elm.example", "three@elm.example"} {
		outcome := make(chan error, 1)
		go func() { outcome <- second(c.note(act(t.Context(), email), email+" "+strconv.Itoa(n))) }()
		outcomes = append(outcomes, outcome)
		c.await(t, postgres.Few+2+n+2, n+2)
	}
	c.letGo()
	var refused int
	for n, outcome := range outcomes {
		err := <-outcome
		switch {
		case errors.Is(err, event.ErrConflict) && (n == 0 || n == 2):
			refused++
		case err != nil:
			t.Errorf("append %d: %v", n, err)
		}
	}
	if kinds := c.count(t, "personal_keys"); refused != 1 || kinds != 4 {
		t.Errorf("%d refused, %d keys; want one of those with the same practitioner refused, and the keys of the practice and of three", refused, kinds)
	}
}

func TestWithoutAMasterKeyNothingPersonalIsWritten_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann := v.register(t)
	v.store.Keys = &postgres.Keyring{DB: v.store.DB, Codec: v.store.Codec}
	if err := v.store.Keys.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := v.note(t.Context(), ann); err == nil || !strings.Contains(err.Error(), "--master-key-file") {
		t.Errorf("%v, want to be told what to do", err)
	}
	v.append(t, newStream(), 0, eventtest.Counted{N: 1}) // nothing personal
}

// counting counts the questions for keys.
type counting struct{ n int }

// TraceQueryStart counts.
func (c *counting) TraceQueryStart(ctx context.Context, _ *pgx.Conn, asked pgx.TraceQueryStartData) context.Context {
	if strings.Contains(asked.SQL, "personal_keys") {
		c.n++
	}
	return ctx
}

// TraceQueryEnd has nothing to add.
func (*counting) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
