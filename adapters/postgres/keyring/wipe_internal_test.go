package keyring

import (
	"testing"

	"frontdesk/adapters/sealing"
)

func TestKeysAreWipedAfterUse_D136(t *testing.T) {
	t.Parallel()
	k := &Keyring{}
	o := owner{tenant: "elm-street"}
	made := Minted{keys: map[owner]sealing.Key{o: sealing.NewKey()}}
	k.Keep(made)
	if len(made.keys) > 0 {
		t.Error("an append keeps the keys that it has made")
	}
	all, err := k.keysOf(t.Context(), []owner{o})
	if err != nil || !all.has(o) {
		t.Fatalf("the key is not in the cache: %v", err)
	}
	if all.wipe(); len(all.found) > 0 {
		t.Error("keys that were used are not overwritten")
	}
	if again, err := k.keysOf(t.Context(), []owner{o}); err != nil || !again.has(o) {
		t.Errorf("the cache has lost the key: %v", err)
	}
}
