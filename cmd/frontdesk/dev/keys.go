package dev

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"frontdesk/cmd/frontdesk/sandbox"
	"frontdesk/domain/application"
)

const (
	keyName     = "key.pem"
	nextKeyName = "next-key.pem"
	oldKeyName  = "old-key.pem"
)

// keys are the application's. A rotation publishes the next key beside the one that
// signs, and signs with the next one once the service holds it. The old one stays
// published until the next rotation.
type keys struct {
	home *home
	now  func() time.Time

	mu      sync.Mutex
	signing sandbox.Minter
	next    *sandbox.Minter // nil while no rotation is under way
	old     *sandbox.Minter // nil before the first
}

// openKeys reads the keys that the directory has, or makes the first.
func openKeys(h *home, now func() time.Time) (*keys, error) {
	k := &keys{home: h, now: now}
	var err error
	if k.next, err = k.read(nextKeyName); err != nil {
		return nil, err
	}
	if k.old, err = k.read(oldKeyName); err != nil {
		return nil, err
	}
	signing, err := k.read(keyName)
	switch {
	case err != nil:
		return nil, err
	case signing == nil && k.next != nil: // killed while it changed them
		err = k.promote()
		return k, err
	case signing == nil:
		signing, err = k.make(keyName)
	}
	if err != nil {
		return nil, err
	}
	k.signing = *signing
	return k, nil
}

// read returns the key in a file; nil if there is none.
func (k *keys) read(name string) (*sandbox.Minter, error) {
	if _, err := k.home.read(name); errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // none is no error
	}
	minter, err := sandbox.NewMinter(k.home.file(name), "", application.ID{})
	return &minter, err
}

func (k *keys) make(name string) (*sandbox.Minter, error) {
	if err := sandbox.MakeKey(k.home.file(name)); err != nil {
		return nil, err
	}
	return k.read(name)
}

var errRotating = errors.New("a rotation is under way: the next key is published, and signs as soon as the service holds it")

// rotate makes and publishes the next key, and returns its kid.
func (k *keys) rotate() (kid string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next != nil {
		return "", errRotating
	}
	if k.next, err = k.make(nextKeyName); err != nil {
		k.next = nil
		return "", err
	}
	return k.next.JWK().KeyID, nil
}

// held is told which kids the service holds. If the next key's is among them, that one
// signs from now on, and its kid is returned; otherwise "".
func (k *keys) held(kids []string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next == nil {
		return "", nil
	}
	for _, kid := range kids {
		if kid == k.next.JWK().KeyID {
			return kid, k.promote()
		}
	}
	return "", nil
}

// promote makes the next key the one that signs.
func (k *keys) promote() error {
	if k.signing != (sandbox.Minter{}) {
		if err := k.home.rename(keyName, oldKeyName); err != nil {
			return err
		}
		old := k.signing
		k.old = &old
	}
	if err := k.home.rename(nextKeyName, keyName); err != nil {
		return err
	}
	k.signing, k.next = *k.next, nil
	return nil
}

// mint signs a token of an application, for itself or ("" is nobody) a member of staff.
func (k *keys) mint(id application.ID, sub string) (string, error) {
	k.mu.Lock()
	minter := k.signing
	k.mu.Unlock()
	return minter.For(id).Mint(sub, k.now())
}

// kids are those of the key that signs and of the next one, which is "" if there is none.
func (k *keys) kids() (signing, next string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next != nil {
		next = k.next.JWK().KeyID
	}
	return k.signing.JWK().KeyID, next
}

// set is the key set to publish.
func (k *keys) set() ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	published := []jose.JSONWebKey{k.signing.JWK()}
	for _, key := range []*sandbox.Minter{k.next, k.old} {
		if key != nil {
			published = append(published, key.JWK())
		}
	}
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: published})
	if err != nil {
		return nil, fmt.Errorf("publish keys: %w", err)
	}
	return set, nil
}
