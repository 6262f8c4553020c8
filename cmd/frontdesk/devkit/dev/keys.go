package dev

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"frontdesk.example/client"
)

const (
	keyName     = "key.pem"
	nextKeyName = "next-key.pem"
	oldKeyName  = "old-key.pem"
)

// keys are the application's, in files of its directory. A rotation publishes the next key in
// addition to the signing key, and signs with the next one once the service holds it. The old
// one stays published until the next rotation.
type keys struct {
	*client.Signer

	dir *keyDir

	mu        sync.Mutex
	next, old string // kids; empty without such a key
}

// openKeys reads the keys that the directory has, or makes the first.
func openKeys(h *keyDir) (*keys, error) {
	k := &keys{dir: h}
	signing, err := k.signing()
	if err != nil {
		return nil, err
	}
	if k.Signer, err = client.NewSigner(signing); err != nil {
		return nil, err
	}
	if k.next, err = k.publish(nextKeyName); err != nil {
		return nil, err
	}
	k.old, err = k.publish(oldKeyName)
	return k, err
}

// signing returns the key that signs. If a rotation was killed between its renames, that is the
// next one.
func (k *keys) signing() (client.Key, error) {
	key, err := k.read(keyName)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	key, err = k.read(nextKeyName)
	if errors.Is(err, fs.ErrNotExist) {
		return k.generate(keyName)
	}
	if err != nil {
		return key, err
	}
	return key, k.dir.rename(nextKeyName, keyName)
}

// publish adds the key in a file, and returns its kid; "" without a file.
func (k *keys) publish(name string) (kid string, err error) {
	key, err := k.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return key.KID, k.Add(key)
}

// read returns the key in a file.
func (k *keys) read(name string) (client.Key, error) {
	text, err := k.dir.read(name)
	if err != nil {
		return client.Key{}, err
	}
	key, err := client.ParseKey("", text)
	if err != nil {
		return client.Key{}, fmt.Errorf("read private key %s: %w", name, err)
	}
	return key, nil
}

func (k *keys) generate(name string) (client.Key, error) {
	if err := client.GenerateKey(k.dir.file(name)); err != nil {
		return client.Key{}, err
	}
	return k.read(name)
}

var errRotating = errors.New("a rotation is under way: the next key is published, and signs as soon as the service holds it")

// rotate makes and publishes the next key, and returns its kid.
func (k *keys) rotate() (kid string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next != "" {
		return "", errRotating
	}
	key, err := k.generate(nextKeyName)
	if err == nil {
		err = k.Add(key)
	}
	if err != nil {
		return "", err
	}
	k.next = key.KID
	return key.KID, nil
}

// promote signs with the next key if it is among the kids that the service holds, and returns its
// kid; otherwise "".
func (k *keys) promote(held []string) (kid string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next == "" || !slices.Contains(held, k.next) {
		return "", nil
	}
	if err := k.dir.rename(keyName, oldKeyName); err != nil {
		return "", err
	}
	if err := k.dir.rename(nextKeyName, keyName); err != nil {
		return "", err
	}
	before, signing, last := k.KID(), k.next, k.old
	k.next, k.old = "", before
	return signing, errors.Join(k.Use(signing), k.Remove(last))
}

// kids are those of the signing key and of the next one, which is "" without one.
func (k *keys) kids() (signing, next string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.KID(), k.next
}
