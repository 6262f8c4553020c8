package keyring_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/sealing"
)

func TestMasterLeavesRingLast_D136(t *testing.T) {
	t.Parallel()
	ended := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		key    keyring.MasterKey
		oldest time.Time
		want   error
	}{
		"in use":                       {keyring.MasterKey{}, ended.AddDate(10, 0, 0), keyring.ErrMasterInUse},
		"a backup of before":           {keyring.MasterKey{UnusedAt: &ended}, ended.Add(-time.Hour), keyring.ErrNeededByBackups},
		"a backup of the same instant": {keyring.MasterKey{UnusedAt: &ended}, ended, keyring.ErrNeededByBackups},
		"backups of after":             {keyring.MasterKey{UnusedAt: &ended}, ended.Add(time.Second), nil},
	} {
		if err := c.key.MayLeave(c.oldest); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDestroyedMasterKeyIsRecorded_D136(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.register(t)
	owner := postgres.On(v.db.AdminPool(t))
	destroy := func(db postgres.DB, id string) error {
		return keyring.MarkDestroyed(t.Context(), db, id, "alice@desk7")
	}
	for name, c := range map[string]struct {
		id   string
		want error
	}{"unknown": {"0f", keyring.ErrUnknownMaster}, "in use": {master.ID(), keyring.ErrMasterInUse}} {
		if err := destroy(owner, c.id); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	v.rotate(t, newMaster, master)
	stop := v.following(t, v.with(t, newMaster, master), func() []sealing.MasterKey { return []sealing.MasterKey{newMaster, master} })
	clocktest.Eventually(t, func() bool { return v.scan(t, `SELECT count(*)::text FROM master_key_holders`) == "1" }, "the process announces itself")
	if err := destroy(owner, master.ID()); !errors.Is(err, keyring.ErrMasterHeld) {
		t.Errorf("a process holds it: %v", err)
	}
	stop()
	if err := destroy(v.Store.DB, master.ID()); err == nil {
		t.Error("the serving role records it")
	}
	for range 2 {
		if err := destroy(owner, master.ID()); err != nil {
			t.Fatal(err)
		}
	}
	if got := v.scan(t, `SELECT string_agg(destroyed_by, ';') FROM master_keys WHERE destroyed_at IS NOT NULL`); !strings.HasSuffix(got, " (alice@desk7)") {
		t.Errorf("recorded by %q", got)
	}
}

// An erasure is final when all master keys of its time are destroyed, whatever clocks show.
func TestErasureBecomesFinal_D136(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.register(t)
	owner := postgres.On(v.db.AdminPool(t))
	v.do(t, `INSERT INTO erasures (tenant, kind, holder, fingerprint, erased_at, erasure, stream, version) VALUES ('elm-street', 1, gen_random_uuid(), '', '2100-01-01', '00000000-0000-0000-0000-000000000001', gen_random_uuid(), 2)`)
	v.do(t, `INSERT INTO erasure_masters SELECT 'elm-street', '00000000-0000-0000-0000-000000000001', max(number) FROM master_keys`)
	state := func() string {
		return v.scan(t, `SELECT concat_ws(' ', CASE WHEN final_from > now() THEN 'later' WHEN final_from IS NOT NULL THEN 'now' END, CASE WHEN final_since IS NOT NULL THEN 'final' END) FROM erasure_finality`)
	}
	want := func(want string) {
		t.Helper()
		if got := state(); got != want {
			t.Errorf("the erasure is %q, want %q", got, want)
		}
	}
	want("")
	third := sealing.MasterKey{7}
	v.rotate(t, newMaster, master)
	want("later")
	v.rotate(t, third, newMaster, master)
	want("later")
	if err := keyring.MarkDestroyed(t.Context(), owner, master.ID(), "m"); err != nil {
		t.Fatal(err)
	}
	want("later final")

	// Of an erasure whose master key is unknown, all master keys have to be destroyed.
	v.do(t, `DELETE FROM erasure_masters`)
	want("")
	// A restored database learns of the keys of the ring, and an erasure that is applied again waits for them as well.
	if err := keyring.NoteMasters(t.Context(), owner, []string{third.ID(), sealing.MasterKey{8}.ID()}); err != nil {
		t.Fatal(err)
	}
	if got := v.scan(t, fmt.Sprintf(`SELECT count(*)::text FROM master_keys WHERE id = '%s' AND unused_at IS NOT NULL`, sealing.MasterKey{8}.ID())); got != "1" {
		t.Errorf("the master key of the ring is not noted")
	}
}
