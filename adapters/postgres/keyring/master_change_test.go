package keyring_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

var newMaster = sealing.MasterKey{4, 5, 6}

func (v *vault) change(t testing.TB) keyring.MasterChange {
	t.Helper()
	return keyring.MasterChange{DB: postgres.On(v.db.AdminPool(t)), From: master, To: newMaster}
}

func (v *vault) mastered(t testing.TB, is, old sealing.MasterKey) *keyring.Keyring {
	t.Helper()
	k := &keyring.Keyring{DB: v.Store.DB, Codec: v.Store.Codec, Master: is, Old: old}
	if err := k.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return k
}

// registerMany registers patients in one append.
func (v *vault) registerMany(t testing.TB, n int) {
	t.Helper()
	var changes []event.Change
	for range n {
		id := uuid.New()
		changes = append(changes, event.Change{Stream: streamOf(id), Events: []event.Event{patient.Registered{Patient: patient.ID{UUID: id}, Name: "Ann"}}})
	}
	if _, err := v.Store.Append(t.Context(), changes...); err != nil {
		t.Fatal(err)
	}
}

func TestAChangeOfTheMasterKeyIsResumed_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann := v.register(t)
	if err := v.note(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	v.registerMany(t, 2499)
	both := v.mastered(t, newMaster, master) // restarted before the change
	stopped, stop := context.WithCancel(t.Context())
	change := v.change(t)
	change.Progress = func(int) { stop() }
	if n, err := change.Run(stopped); !errors.Is(err, context.Canceled) || n != 1000 {
		t.Fatalf("%d keys, %v; want to be stopped after 1,000", n, err)
	}
	v.wantNotes(t, both, "It hurts.")
	v.wantNotes(t, v.mastered(t, newMaster, master), "It hurts.")
	if n, err := v.change(t).Run(t.Context()); err != nil || n != 1500 {
		t.Fatalf("%d keys, %v; want the other 1,500", n, err)
	}
	v.wantNotes(t, v.mastered(t, newMaster, sealing.MasterKey{}), "It hurts.")
	var named *keyring.OtherMasterKeyError
	if err := (&keyring.Keyring{DB: v.Store.DB, Master: master}).Start(t.Context()); !errors.As(err, &named) || named.Is != newMaster.ID() {
		t.Errorf("with the old one alone: %v", err)
	}
}

// A process that has been started with both before the change wraps under the old one,
// which those can read that have not been restarted yet.
func TestAnOldMasterKeyIsRetiredWhenNothingNamesIt_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.register(t)
	v.Store.Keys = v.mastered(t, newMaster, master)
	bill := v.register(t)
	if err := v.note(t.Context(), bill); err != nil {
		t.Fatal(err)
	}
	v.wantNotes(t, v.mastered(t, master, sealing.MasterKey{}), "It hurts.")
	change := v.change(t)
	if _, err := change.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	late := v.register(t)
	if err := change.Retire(t.Context()); !errors.Is(err, keyring.ErrMasterKeyInUse) {
		t.Errorf("retired although a key names it: %v", err)
	}
	v.Store.Keys = v.mastered(t, newMaster, sealing.MasterKey{})
	for range 2 { // it may be asked again
		if _, err := change.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := change.Retire(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.note(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	v.wantNotes(t, v.mastered(t, newMaster, sealing.MasterKey{}), slices.Repeat([]string{"It hurts."}, 2)...)
	if got := v.scan(t, `SELECT string_agg(id, ',') FROM master_keys`); got != newMaster.ID() {
		t.Errorf("master keys %s", got)
	}
}

func TestAChangeNeedsTheRightMasterKey_D69(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.register(t)
	change := v.change(t)
	change.From = sealing.MasterKey{9}
	var named *keyring.OtherMasterKeyError
	if _, err := change.Run(t.Context()); !errors.As(err, &named) {
		t.Errorf("another one: %v", err)
	}
	change.From, change.To = master, master
	if _, err := change.Run(t.Context()); err == nil {
		t.Error("the same one takes its own place")
	}
	change = v.change(t)
	change.DB = v.Store.DB
	if _, err := change.Run(t.Context()); err == nil {
		t.Error("the serving role may change the master key")
	}
}

// An append that has begun stores its key before the master key is retired; one that begins
// later does not find the master key.
func TestRetiredMasterKeyWrapsNothing_D134(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.register(t)
	old := v.mastered(t, newMaster, master) // wraps under the old one
	change := v.change(t)
	if _, err := change.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	open, err := v.db.SuperuserPool(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = open.Rollback(context.WithoutCancel(t.Context())) }()
	const wrapped = `INSERT INTO personal_keys (tenant, kind, holder, fingerprint, master, wrapped) SELECT 'elm-street', 1, gen_random_uuid(), '', id, '' FROM master_keys WHERE id = $1`
	if _, err := open.Exec(t.Context(), wrapped, master.ID()); err != nil {
		t.Fatal(err)
	}
	retired := make(chan error)
	go func() { retired <- change.Retire(t.Context()) }()
	clocktest.Eventually(t, func() bool {
		return v.scan(t, `SELECT count(*)::text FROM pg_locks WHERE NOT granted AND relation = 'personal_keys'::regclass`) == "1"
	}, "the change waits for the append")
	if err := open.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-retired; !errors.Is(err, keyring.ErrMasterKeyInUse) {
		t.Fatalf("retired although a key names it: %v", err)
	}

	v.do(t, `DELETE FROM personal_keys WHERE wrapped = ''`)
	if err := change.Retire(t.Context()); err != nil {
		t.Fatal(err)
	}
	v.Store.Keys = old
	id := uuid.New()
	if _, err := v.Store.Append(t.Context(), event.Change{Stream: streamOf(id), Events: []event.Event{patient.Registered{Patient: patient.ID{UUID: id}, Name: "Ann"}}}); err == nil {
		t.Error("a key is stored under a master key that was retired")
	}
}
