package bearer

import (
	"crypto/rsa"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Why a document is no readable key set (§5.7).
var (
	ErrNotJSON     = errors.New("the key set is not a JSON object")
	ErrNoUsableKey = errors.New("the key set holds no usable key")
)

// maxKeys is how many keys of a set count, from its start (D7).
const maxKeys = 100

// KeySet is the usable keys of an application, by kid.
type KeySet struct {
	byKid map[string]*rsa.PublicKey
}

// Len is the number of usable keys.
func (s KeySet) Len() int { return len(s.byKid) }

// ReadKeySet reads a JWK set and keeps its usable keys (D7). Each key is read
// by itself, so that an odd one never spoils the others; a kid that two keys
// share names neither. Errors are [ErrNotJSON] and [ErrNoUsableKey].
func ReadKeySet(document []byte) (KeySet, error) {
	raw, err := rawKeys(document)
	if err != nil {
		return KeySet{}, err
	}
	usable := make(map[string]*rsa.PublicKey)
	seen := make(map[string]bool)
	for _, one := range raw[:min(len(raw), maxKeys)] {
		var key jwk
		if object(one, &key) != nil || key.Kid == "" {
			continue
		}
		if public, ok := key.publicKey(); ok && !seen[key.Kid] {
			usable[key.Kid] = public
		} else {
			delete(usable, key.Kid)
		}
		seen[key.Kid] = true
	}
	if len(usable) == 0 {
		return KeySet{}, ErrNoUsableKey
	}
	return KeySet{usable}, nil
}

// rawKeys takes the set apart. A name given twice inside a key is that key's
// own fault, so it is let through here.
func rawKeys(document []byte) ([]jsontext.Value, error) {
	lax := jsontext.AllowDuplicateNames(true)
	var set struct {
		Keys jsontext.Value `json:"keys"`
	}
	if jsontext.Value(document).Kind() != '{' || json.Unmarshal(document, &set, lax) != nil {
		return nil, ErrNotJSON
	}
	var keys []jsontext.Value
	if json.Unmarshal(set.Keys, &keys, lax) != nil {
		return nil, ErrNoUsableKey
	}
	return keys, nil
}
