package keyring_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
	"frontdesk/domain/practitioner"
	"frontdesk/domain/request"
)

func TestAFailedAppendKeepsNoKey_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann := v.register(t)
	other := v.keyring(t, nil)
	v.Store.Keys = other
	again := event.Change{Stream: streamOf(ann), Events: []event.Event{patient.Registered{Patient: patient.ID{UUID: ann}, Name: "Other"}}}
	if _, err := v.Store.Append(t.Context(), again); !errors.Is(err, event.ErrConflict) {
		t.Errorf("registered twice: %v", err)
	}
	if held := keyring.Held(other); held != 0 {
		t.Errorf("%d keys are kept", held)
	}
	if err := v.note(t.Context(), ann); err != nil || keyring.Held(other) != 1 {
		t.Errorf("%v, %d keys are kept", err, keyring.Held(other))
	}
	v.wantNotes(t, v.keyring(t, nil), "It hurts.")
}

// Each of two processes that know no practitioner makes a key. One gets a conflict, decides
// again, and then finds the other's.
func TestConcurrentKeysBecomeOne_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann := v.register(t)
	var all sync.WaitGroup
	for range 8 {
		store := &eventstore.Store{DB: v.Store.DB, Codec: v.Store.Codec, Keys: v.keyring(t, nil), Now: enginetest.AtNoon}
		all.Go(func() {
			for {
				_, err := store.Append(act(t.Context(), "Bell@elm.example"), event.Change{Stream: enginetest.NewStream(), Events: []event.Event{eventtest.Noted{Patient: ann, Note: "n"}}})
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
	keyring.Remember(k, 4)
	v.wantNotes(t, k, slices.Repeat([]string{"It hurts."}, 9)...)
	if asked.n != 1 || keyring.Held(k) != 4 {
		t.Errorf("%d questions, %d keys are kept; want 1 and 4", asked.n, keyring.Held(k))
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
		return enginetest.Second(v.Store.Append(t.Context(), event.Change{Stream: enginetest.NewStream(), Events: []event.Event{request}}))
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
			v.Store.Keys, asked = v.cold(t)
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
	other := &keyring.Keyring{DB: v.Store.DB, Masters: sealing.NewRing(sealing.MasterKey{9})}
	err := other.Start(t.Context())
	want := "the personal data in this database is sealed under master key " + master.ID() + "; the one given is " + sealing.MasterKey{9}.ID()
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := v.note(t.Context(), v.register(t)); err != nil {
		t.Fatal(err)
	}
	v.do(t, `INSERT INTO master_keys (id, replaced_at) VALUES ('0f', now())`)
	v.do(t, `UPDATE personal_keys SET master = '0f'`)
	_, err = v.notes(t, v.unchecked())
	if named, is := errors.AsType[*sealing.OtherMasterKeyError](err); !is || named.Is != "0f" || named.Given != master.ID() {
		t.Errorf("read: %v", err)
	}
}

// unchecked returns a keyring that has not compared its master keys with the database's.
func (v *vault) unchecked() *keyring.Keyring {
	return &keyring.Keyring{DB: v.Store.DB, Codec: v.Store.Codec, Masters: sealing.NewRing(master)}
}

// With another index key every practitioner would be a stranger, also those who were erased.
func TestLostIndexKeyIsNotReplaced_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann, bell := v.register(t), act(t.Context(), "bell@elm.example")
	if err := v.note(bell, ann); err != nil {
		t.Fatal(err)
	}
	v.do(t, `DELETE FROM personal_keys WHERE kind = 0`)
	v.Store.Keys = v.keyring(t, nil)
	if err := v.note(bell, ann); !errors.Is(err, keyring.ErrKeyLost) {
		t.Errorf("error = %v, want %v", err, keyring.ErrKeyLost)
	}
	if got := v.scan(t, `SELECT string_agg(kind::text, ',' ORDER BY kind) FROM personal_keys`); got != "1,3" {
		t.Errorf("keys of kinds %s, want those of the patient and the practitioner", got)
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
	if _, err := v.notes(t, v.keyring(t, nil)); err == nil || errors.Is(err, keyring.ErrKeyLost) || !strings.Contains(err.Error(), ann.String()) {
		t.Errorf("read: %v, want the holder of the altered key", err)
	}
}

func TestPersonalValuesNeedMasterKey_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann := v.register(t)
	v.Store.Keys = &keyring.Keyring{DB: v.Store.DB, Codec: v.Store.Codec}
	if err := v.Store.Keys.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := v.note(t.Context(), ann); err == nil || !strings.Contains(err.Error(), "--master-key-file") {
		t.Errorf("%v, want the fix", err)
	}
	v.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1}) // nothing personal
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

// An application must not take a patient for gone because of the practitioner that it names.
func TestErasedPractitionerIsNoPatient_D70(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann, bell := v.register(t), act(t.Context(), "bell@elm.example")
	if err := v.note(bell, ann); err != nil {
		t.Fatal(err)
	}
	v.do(t, `INSERT INTO erasures (tenant, kind, holder, erased_at, erasure, stream, version, fingerprint) SELECT tenant, kind, holder, now(), gen_random_uuid(), holder, 2, '' FROM personal_keys WHERE kind = 3`)
	v.do(t, `DELETE FROM personal_keys WHERE kind = 3`)
	v.Store.Keys = v.keyring(t, nil)
	if err := v.note(bell, ann); !errors.Is(err, practitioner.ErrErased) || errors.Is(err, patient.ErrUnknown) {
		t.Errorf("error = %v, want %v", err, practitioner.ErrErased)
	}
	for _, others := range []context.Context{t.Context(), act(t.Context(), "lee@elm.example")} {
		if err := v.note(others, ann); err != nil {
			t.Errorf("others are refused: %v", err)
		}
	}
}
