package dev

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/go-jose/go-jose/v4"
)

func newDir(t *testing.T) *keyDir {
	t.Helper()
	h, err := openDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.close)
	return h
}

func opened(t *testing.T, h *keyDir) *keys {
	t.Helper()
	k, err := openKeys(h)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// published is the kids of the set.
func (k *keys) published(t *testing.T) (kids []string) {
	t.Helper()
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(k.KeySet(), &set); err != nil {
		t.Fatal(err)
	}
	for _, key := range set.Keys {
		if !key.IsPublic() {
			t.Errorf("%s is published with its private half", key.KeyID)
		}
		kids = append(kids, key.KeyID)
	}
	return kids
}

// The next key is published before it signs, and the one before stays published.
func TestARotationLosesNoCall_D97(t *testing.T) {
	t.Parallel()
	k := opened(t, newDir(t))
	first, _ := k.kids()
	second, err := k.rotate()
	if err != nil {
		t.Fatal(err)
	}
	if signing, next := k.kids(); signing != first || next != second || !slices.Equal(k.published(t), []string{first, second}) {
		t.Errorf("%s signs, %s is next, published are %v", signing, next, k.published(t))
	}
	if _, err := k.rotate(); !errors.Is(err, errRotating) {
		t.Errorf("a rotation during a rotation: %v", err)
	}
	if kid, err := k.promote([]string{first}); kid != "" || err != nil {
		t.Errorf("it signs with a key that the service does not hold: %s, %v", kid, err)
	}
	if kid, err := k.promote([]string{first, second}); kid != second || err != nil {
		t.Errorf("held: %s, %v", kid, err)
	}
	if signing, next := k.kids(); signing != second || next != "" || !slices.Equal(k.published(t), []string{second, first}) {
		t.Errorf("%s signs, %s is next, published are %v", signing, next, k.published(t))
	}
	third, err := k.rotate()
	if err != nil {
		t.Fatal(err)
	}
	if published := k.published(t); !slices.Equal(published, []string{second, first, third}) {
		t.Errorf("published are %v", published)
	}
	if _, err := k.promote([]string{third}); err != nil || !slices.Equal(k.published(t), []string{third, second}) {
		t.Errorf("published are %v, %v", k.published(t), err)
	}
}

// Whatever was cut short, the keys of the directory are those of the next start.
func TestKeysOutliveAStartThatWasCutShort_D97(t *testing.T) {
	t.Parallel()
	h := newDir(t)
	k := opened(t, h)
	first, _ := k.kids()
	second, err := k.rotate()
	if err != nil {
		t.Fatal(err)
	}
	if signing, next := opened(t, h).kids(); signing != first || next != second {
		t.Errorf("after a kill during a rotation %s signs and %s is next", signing, next)
	}
	if err := os.Rename(h.file(keyName), h.file(oldKeyName)); err != nil { // killed between the two renames
		t.Fatal(err)
	}
	if signing, next := opened(t, h).kids(); signing != second || next != "" {
		t.Errorf("after a kill while the keys were changed %s signs and %s is next", signing, next)
	}
	if published := opened(t, h).published(t); !slices.Equal(published, []string{second, first}) {
		t.Errorf("published are %v", published)
	}
}
