package commands_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/event"
	"frontdesk/domain/signingkey"
)

// vault keeps real keys in memory and counts its sweeps.
type vault struct {
	kept   map[signingkey.KID]bool
	sweeps int
}

var errLost = errors.New("the private half is lost")

func (v *vault) Create(context.Context) (signingkey.PublicKey, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return signingkey.PublicKey{}, err
	}
	public := signingkey.Public(&key.PublicKey)
	v.kept[public.KID()] = true
	return public, nil
}

func (v *vault) Check(_ context.Context, kid signingkey.KID) error {
	if !v.kept[kid] {
		return errLost
	}
	return nil
}

func (v *vault) Sweep(context.Context) error { v.sweeps++; return nil }

func activeKey(t *testing.T, store commands.Store) signingkey.KID {
	t.Helper()
	ring, err := commands.Load[signingkey.Ring](t.Context(), store, signingkey.StreamOf())
	if err != nil {
		t.Fatal(err)
	}
	active, _ := ring.Active()
	return active.KID
}

func TestAKeyLivesFromStagingToRetirement_D34(t *testing.T) {
	t.Parallel()
	store, vault, now := commandtest.NewStore(), &vault{kept: map[signingkey.KID]bool{}}, commandtest.Noon
	clock := func() time.Time { return now }
	stage := func() signingkey.KID {
		kid, err := commands.Desk{Store: store, Vault: vault, Now: clock}.StageSigningKey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return kid
	}
	activate := func(kid signingkey.KID) error {
		return commands.Desk{Store: store, Vault: vault, Now: clock}.ActivateSigningKey(t.Context(), commands.ActivateSigningKey{KID: kid})
	}
	retire := func(kid signingkey.KID) error {
		return commands.Desk{Store: store, Vault: vault, Now: clock}.RetireSigningKey(t.Context(), commands.RetireSigningKey{KID: kid})
	}

	first, second := stage(), stage()
	if err := activate(first); err != nil {
		t.Fatal(err)
	}
	if err := activate(second); !errors.Is(err, signingkey.ErrTooYoung) {
		t.Errorf("a key of no age: %v", err)
	}
	now = now.Add(signingkey.StagedFor)
	if err := activate(second); err != nil || activeKey(t, store) != second {
		t.Errorf("after a day: %v, active %s", err, activeKey(t, store))
	}
	if err := retire(first); !errors.Is(err, signingkey.ErrTooSoon) {
		t.Errorf("a key just replaced: %v", err)
	}
	now = now.Add(signingkey.RetiringFor)
	if err := retire(first); err != nil {
		t.Errorf("a day later: %v", err)
	}
	if vault.sweeps != 3 {
		t.Errorf("%d sweeps after two activations and a retirement", vault.sweeps)
	}
}

func TestKeyWithoutPrivateHalfIsRefused(t *testing.T) {
	t.Parallel()
	store, full := commandtest.NewStore(), &vault{kept: map[signingkey.KID]bool{}}
	clock := func() time.Time { return commandtest.Noon }
	kid, err := commands.Desk{Store: store, Vault: full, Now: clock}.StageSigningKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	empty := commands.Desk{Store: store, Vault: &vault{}, Now: clock}
	if err := empty.ActivateSigningKey(t.Context(), commands.ActivateSigningKey{KID: kid}); !errors.Is(err, errLost) {
		t.Errorf("error %v, want %v", err, errLost)
	}
	if err := empty.ActivateSigningKey(t.Context(), commands.ActivateSigningKey{KID: "unknown"}); !errors.Is(err, signingkey.ErrUnknown) {
		t.Errorf("error %v, want the rule's", err)
	}
	if got := activeKey(t, store); got != "" {
		t.Errorf("%s is active", got)
	}
}

func TestTheFirstToStartMakesTheFirstKey_D34(t *testing.T) {
	t.Parallel()
	store, kept := commandtest.NewStore(), &vault{kept: map[signingkey.KID]bool{}}
	clock := func() time.Time { return commandtest.Noon }
	for range 3 { // processes
		if err := (commands.Desk{Store: store, Vault: kept, Now: clock}).EnsureSigningKey(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if active := activeKey(t, store); len(store.Log()) != 2 || !kept.kept[active] {
		t.Errorf("%d events, active %q", len(store.Log()), active)
	}
	another := commands.Desk{Store: store, Vault: &vault{}, Now: clock}
	if err := another.EnsureSigningKey(t.Context()); !errors.Is(err, errLost) {
		t.Errorf("a process that cannot sign has started: %v", err)
	}
}

func TestEventsOfKeysHoldNoPrivateHalf_D34(t *testing.T) {
	t.Parallel()
	store := commandtest.NewStore()
	stage := commands.Desk{Store: store, Vault: &vault{kept: map[signingkey.KID]bool{}}, Now: func() time.Time { return commandtest.Noon }}
	kid, err := stage.StageSigningKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var staged signingkey.Staged
	for _, e := range store.Log() {
		staged, _ = e.Event.(signingkey.Staged)
	}
	want := signingkey.Staged{Key: signingkey.Key{KID: kid, PublicKey: staged.PublicKey}, At: commandtest.Noon}
	if event.Event(staged) != want || staged.PublicKey.KID() != kid {
		t.Errorf("staged %+v", staged)
	}
}
