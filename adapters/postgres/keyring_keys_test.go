package postgres_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

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
		store := &postgres.Store{DB: v.store.DB, Codec: v.store.Codec, Keys: v.keyring(t, nil), Now: atNoon}
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
	other := &postgres.Keyring{DB: v.store.DB, Masters: sealing.NewRing(sealing.MasterKey{9})}
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
func (v *vault) unchecked() *postgres.Keyring {
	return &postgres.Keyring{DB: v.store.DB, Codec: v.store.Codec, Masters: sealing.NewRing(master)}
}

// With another index key every practitioner would be a stranger, also those who were erased.
func TestALostIndexKeyIsNotMadeAnew_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann, bell := v.register(t), act(t.Context(), "bell@elm.example")
	if err := v.note(bell, ann); err != nil {
		t.Fatal(err)
	}
	v.do(t, `DELETE FROM personal_keys WHERE kind = 0`)
	v.store.Keys = v.keyring(t, nil)
	if err := v.note(bell, ann); !errors.Is(err, postgres.ErrKeyLost) {
		t.Errorf("error = %v, want %v", err, postgres.ErrKeyLost)
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
	if _, err := v.notes(t, v.keyring(t, nil)); err == nil || errors.Is(err, postgres.ErrKeyLost) || !strings.Contains(err.Error(), ann.String()) {
		t.Errorf("read: %v, want to be told whose key was altered", err)
	}
}

// Two of a group make the key of the same practitioner, so the group falls apart.
func TestInAGroupKeysAreMadeOnce_D69(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, "", func(e *engine) {
		e.append(t, newStream(), 0, eventtest.Counted{N: 1}) // so there is a practice
		e.store.Keys = &postgres.Keyring{DB: e.store.DB, Codec: e.store.Codec, Masters: sealing.NewRing(master)}
		if err := e.store.Keys.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
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
