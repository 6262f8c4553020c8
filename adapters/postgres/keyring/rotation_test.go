package keyring_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

var newMaster = sealing.MasterKey{4, 5, 6}

// rotation returns a rotation by the owner, whose ring has the keys.
func (v *vault) rotation(t testing.TB, keys ...sealing.MasterKey) keyring.MasterRotation {
	t.Helper()
	return keyring.MasterRotation{
		DB: postgres.On(v.db.AdminPool(t)), Masters: sealing.NewRing(keys...), Every: time.Millisecond, BackupsKept: 24 * time.Hour,
	}
}

func (v *vault) rotate(t testing.TB, keys ...sealing.MasterKey) {
	t.Helper()
	if to, _, err := v.rotation(t, keys...).Run(t.Context()); err != nil || to != keys[0].ID() {
		t.Fatalf("rotated to %s: %v", to, err)
	}
}

// with returns the keyring of a process with a ring.
func (v *vault) with(t testing.TB, keys ...sealing.MasterKey) *keyring.Keyring {
	t.Helper()
	k := &keyring.Keyring{DB: v.Store.DB, Codec: v.Store.Codec, Masters: sealing.NewRing(keys...)}
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

// killer ends a context when a database is asked for the nth time.
type killer struct {
	left atomic.Int64
	kill context.CancelFunc
}

// TraceQueryStart counts.
func (k *killer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	if k.left.Add(-1) == 0 {
		k.kill()
	}
	return ctx
}

// TraceQueryEnd has nothing to add.
func (*killer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart counts as [killer.TraceQueryStart] does.
func (k *killer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return k.TraceQueryStart(ctx, conn, pgx.TraceQueryStartData{})
}

// TraceBatchQuery has nothing to add.
func (*killer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd has nothing to add.
func (*killer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// A rotation that is killed before any of its statements goes on, and loses no key.
func TestKilledRotationGoesOn_D136(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann := v.register(t)
	if err := v.note(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	v.registerMany(t, 1500)
	ring, kills := []sealing.MasterKey{master}, 0
	for at, done := int64(1), false; !done; at++ {
		ring = append([]sealing.MasterKey{{byte(at), 9}}, ring...)
		ctx, cancel := context.WithCancel(t.Context())
		k := &killer{kill: cancel}
		k.left.Store(at)
		pool, err := postgres.NewTracedPool(t.Context(), v.db.AdminURL, 2, k)
		if err != nil {
			t.Fatal(err)
		}
		rotation := v.rotation(t, ring...)
		rotation.DB = postgres.On(pool)
		_, _, err = rotation.Run(ctx)
		if done = err == nil; !done {
			kills++
			v.wantNotes(t, v.with(t, ring...), "It hurts.")                                                                // in between, a process that starts decrypts everything
			if _, _, err := v.rotation(t, ring...).Run(t.Context()); err != nil && !errors.Is(err, keyring.ErrNoNextKey) { // the last statement may be done
				t.Fatal(err)
			}
		}
		cancel()
		pool.Close()
		v.wantNotes(t, v.with(t, ring[0]), "It hurts.") // afterwards, only with the new key
		if got := v.scan(t, `SELECT string_agg(id, ',') || ' ' || (SELECT count(DISTINCT master) FROM personal_keys) FROM master_keys WHERE unused_at IS NULL`); got != ring[0].ID()+" 1" {
			t.Fatalf("after kill %d: in use are %s", at, got)
		}
	}
	if kills < 10 {
		t.Errorf("killed %d times, want every statement to be tried", kills)
	}
	t.Logf("killed before each of %d statements", kills)
}

// following is a process that serves: it reads its ring again and follows the database.
func (v *vault) following(t testing.TB, k *keyring.Keyring, ring func() []sealing.MasterKey) (stop func()) {
	t.Helper()
	holder := &keyring.MasterHolder{
		Keys: k, Host: "machine", Every: 5 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
		Read: func(context.Context) ([]sealing.MasterKey, error) { return ring(), nil },
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { holder.Run(ctx) })
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return stop
}

func TestRotationWaitsForLateProcess_D136(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann := v.register(t)
	var late atomic.Pointer[[]sealing.MasterKey]
	late.Store(&[]sealing.MasterKey{master})
	slow, fast := v.with(t, master), v.with(t, master)
	stop := v.following(t, slow, func() []sealing.MasterKey { return *late.Load() })
	v.following(t, fast, func() []sealing.MasterKey { return []sealing.MasterKey{newMaster, master} })
	clocktest.Eventually(t, func() bool {
		return v.scan(t, `SELECT concat(count(*), max(cardinality(held))) FROM master_key_holders`) == "22"
	}, "both processes announce their keys")

	rotation := v.rotation(t, newMaster, master)
	rotation.Wait = 20 * time.Millisecond
	var reported []string
	rotation.Tell = func(line string) { reported = append(reported, line) }
	_, _, err := rotation.Run(t.Context())
	if !errors.Is(err, keyring.ErrProcessLate) || len(reported) != 1 || !strings.Contains(reported[0], "on machine") {
		t.Fatalf("error = %v, reported %q", err, reported)
	}
	if got := v.scan(t, `SELECT string_agg(id, ',') FROM master_keys`); got != master.ID() {
		t.Fatalf("a rotation that waits has changed the master keys: %s", got)
	}

	late.Store(&[]sealing.MasterKey{master, newMaster})
	v.rotate(t, newMaster, master)
	v.Store.Keys = slow
	if err := v.note(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	v.register(t)
	if got := v.scan(t, `SELECT string_agg(DISTINCT master, ',') FROM personal_keys`); got != newMaster.ID() {
		t.Errorf("the late process wraps with %s", got)
	}

	stop()
	if got := v.scan(t, `SELECT count(*)::text FROM master_key_holders`); got != "1" {
		t.Errorf("%s processes hold keys after one has ended", got)
	}
}

// Appends go on while every key is wrapped again.
func TestRotationFailsNoAppend_D136(t *testing.T) {
	t.Parallel()
	newVault(t).rotateWhileAppending(t, 3000)
}

// rotateWhileAppending rotates a number of keys while four writers append, and returns how
// many appends there were.
func (v *vault) rotateWhileAppending(t *testing.T, keys int) (appends int64) {
	t.Helper()
	for range keys / 1000 {
		v.registerMany(t, 1000)
	}
	v.Store.Keys = v.with(t, master)
	v.following(t, v.Store.Keys, func() []sealing.MasterKey { return []sealing.MasterKey{newMaster, master} })
	ctx, stop := context.WithCancel(t.Context())
	var appended atomic.Int64
	failed := make(chan error, 4)
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for ctx.Err() == nil {
				id := uuid.New()
				registered := event.Change{Stream: streamOf(id), Events: []event.Event{patient.Registered{Patient: patient.ID{UUID: id}, Name: "Ann"}}}
				if _, err := v.Store.Append(t.Context(), registered); err != nil {
					failed <- err
					return
				}
				appended.Add(1)
			}
		})
	}
	clocktest.Eventually(t, func() bool { return appended.Load() > 20 }, "appends begin")
	watch := clock.Start()
	v.rotate(t, newMaster, master)
	t.Logf("the rotation took %s", watch.Elapsed())
	before := appended.Load()
	clocktest.Eventually(t, func() bool { return appended.Load() > before+20 }, "appends go on")
	stop()
	writers.Wait()
	close(failed)
	for err := range failed {
		t.Errorf("an append failed: %v", err)
	}
	if got := v.scan(t, `SELECT string_agg(DISTINCT master, ',') FROM personal_keys`); got != newMaster.ID() {
		t.Errorf("keys are wrapped with %s", got)
	}
	return appended.Load()
}

// An append that has begun stores its key before the use of the master key ends; one that
// begins later does not find the master key.
func TestUnusedMasterKeyWrapsNothing_D134_D136(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.register(t)
	old := v.with(t, master)
	open, err := v.db.SuperuserPool(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = open.Rollback(context.WithoutCancel(t.Context())) }()
	const wrapped = `INSERT INTO personal_keys (tenant, kind, holder, fingerprint, master, wrapped) SELECT 'elm-street', 1, gen_random_uuid(), '', id, '' FROM master_keys WHERE id = $1 AND unused_at IS NULL`
	if _, err := open.Exec(t.Context(), wrapped, master.ID()); err != nil {
		t.Fatal(err)
	}
	waits := make(chan string, 100)
	rotation := v.rotation(t, newMaster, master)
	rotation.Tell = func(line string) { waits <- line }
	rotated := make(chan error)
	go func() {
		_, _, err := rotation.Run(t.Context())
		rotated <- err
	}()
	<-waits // for the append
	if err := open.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-rotated; err == nil || !strings.Contains(err.Error(), "altered") {
		t.Fatalf("the key of the late append was not wrapped again: %v", err)
	}

	v.do(t, `DELETE FROM personal_keys WHERE wrapped = ''`)
	v.rotate(t, newMaster, master)
	v.Store.Keys = old // a process that has not followed for longer than a rotation waits
	id := uuid.New()
	if _, err := v.Store.Append(t.Context(), event.Change{Stream: streamOf(id), Events: []event.Event{patient.Registered{Patient: patient.ID{UUID: id}, Name: "Ann"}}}); err == nil {
		t.Error("a key is stored under a master key that is no longer used")
	}
}

func TestRotationNeedsRightKeys_D136(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.register(t)
	var other *sealing.OtherMasterKeyError
	if _, _, err := v.rotation(t, newMaster).Run(t.Context()); !errors.As(err, &other) || other.Is != master.ID() {
		t.Errorf("without the key in use: %v", err)
	}
	if _, _, err := v.rotation(t, master).Run(t.Context()); !errors.Is(err, keyring.ErrNoNextKey) {
		t.Errorf("without a next key: %v", err)
	}
	rotation := v.rotation(t, newMaster, master)
	rotation.DB = v.Store.DB
	if _, _, err := rotation.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "as the owner") {
		t.Errorf("the serving role rotates: %v", err)
	}
	if err := (&keyring.Keyring{DB: v.Store.DB, Masters: sealing.NewRing(newMaster)}).Start(t.Context()); !errors.As(err, &other) {
		t.Errorf("a process starts without the key in use: %v", err)
	}
}

// A backup from before a rotation is served with the ring of today, and rotated again.
func TestOldBackupOpensWithRing_D136(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann := v.register(t)
	if err := v.note(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	v.wantNotes(t, v.with(t, newMaster, master), "It hurts.")
	v.Store.Keys = v.with(t, newMaster, master)
	v.register(t)
	if got := v.scan(t, `SELECT string_agg(DISTINCT master, ',') FROM personal_keys`); got != master.ID() {
		t.Errorf("a process with the ring of today wraps with %s, and others may not hold it", got)
	}
	v.rotate(t, newMaster, master)
	v.wantNotes(t, v.with(t, newMaster), "It hurts.")
}

// A key that the database uses and the file lacks stays in memory.
func TestHolderKeepsUsedKey_D136(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann := v.register(t)
	if err := v.note(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	k := v.with(t, master)
	unreadable := errors.New("unreadable")
	answers := []func() ([]sealing.MasterKey, error){
		func() ([]sealing.MasterKey, error) { return nil, unreadable },
		func() ([]sealing.MasterKey, error) { return []sealing.MasterKey{newMaster}, nil },
		func() ([]sealing.MasterKey, error) { return []sealing.MasterKey{newMaster, master}, nil },
	}
	holder := &keyring.MasterHolder{Keys: k, Log: slog.New(slog.DiscardHandler)}
	for n, want := range []string{unreadable.Error(), "the database uses master key " + master.ID() + ", which is no longer in the ring", ""} {
		holder.Read = func(context.Context) ([]sealing.MasterKey, error) { return answers[n]() }
		err := holder.Beat(t.Context())
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("beat %d: %v, want %q", n, err, want)
		}
		v.wantNotes(t, k, "It hurts.")
	}
	if ids := k.Masters.IDs(); !slices.Equal(ids, []string{newMaster.ID(), master.ID()}) {
		t.Errorf("the ring holds %v", ids)
	}
}
