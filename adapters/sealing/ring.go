package sealing

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"frontdesk/adapters/durable"
)

// Ring holds the master keys of a process. One of them wraps: the first, until
// [Ring.Use] names another. All of them open. A process reads its ring again while it
// serves, so the keys can change at any time. It is safe for concurrent use. A nil Ring
// holds no key.
type Ring struct {
	writing sync.Mutex
	state   atomic.Pointer[ringState]
}

type ringState struct {
	keys     []MasterKey // in the order of the file
	ids      []string    // of the keys
	wrappers map[string]Wrapper
	current  string // the identifier of the key that wraps
}

// NewRing returns a ring of keys. Zero keys are left out.
func NewRing(keys ...MasterKey) *Ring {
	r := &Ring{}
	r.Replace(keys...)
	return r
}

// OtherMasterKeyError reports that the database uses a master key that the ring does not
// hold. Its text names the keys by identifier.
type OtherMasterKeyError struct {
	Is    string // of the database
	Given string // the identifiers of the ring, with commas
}

// Error returns the line that an operator reads.
func (e *OtherMasterKeyError) Error() string {
	return fmt.Sprintf("the personal data in this database is sealed under master key %s; the one given is %s", e.Is, e.Given)
}

func (r *Ring) load() *ringState {
	if r == nil {
		return &ringState{}
	}
	if state := r.state.Load(); state != nil {
		return state
	}
	return &ringState{}
}

// Replace puts other keys in the place of all. The key that wraps stays the same if it is
// among them.
func (r *Ring) Replace(keys ...MasterKey) {
	r.writing.Lock()
	defer r.writing.Unlock()
	before := r.load()
	next := &ringState{wrappers: map[string]Wrapper{}}
	for _, key := range keys {
		if key == (MasterKey{}) || slices.Contains(next.keys, key) {
			continue
		}
		wrapper, err := key.Wrapper()
		if err != nil {
			continue // impossible: only the zero key has none
		}
		id := key.ID()
		next.keys, next.ids, next.wrappers[id] = append(next.keys, key), append(next.ids, id), wrapper
	}
	if next.current = before.current; !next.holds(next.current) && len(next.ids) > 0 {
		next.current = next.ids[0]
	}
	r.state.Store(next)
}

func (s *ringState) holds(id string) bool {
	_, held := s.wrappers[id]
	return held
}

// Use makes a key of the ring the one that wraps. It fails with an [OtherMasterKeyError]
// if the ring does not hold it.
func (r *Ring) Use(id string) error {
	if r == nil {
		return ErrNoMasterKey
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	next := *r.load()
	if !next.holds(id) {
		return next.other(id)
	}
	next.current = id
	r.state.Store(&next)
	return nil
}

func (s *ringState) other(id string) error {
	if len(s.keys) == 0 {
		return ErrNoMasterKey
	}
	return &OtherMasterKeyError{id, strings.Join(s.ids, ", ")}
}

// Empty reports whether the ring holds no key.
func (r *Ring) Empty() bool { return len(r.load().keys) == 0 }

// Keys returns the keys in the order of the file.
func (r *Ring) Keys() []MasterKey { return slices.Clone(r.load().keys) }

// IDs returns the identifiers of the keys in the order of the file.
func (r *Ring) IDs() []string { return slices.Clone(r.load().ids) }

// Holds reports whether the ring holds a key.
func (r *Ring) Holds(id string) bool { return r.load().holds(id) }

// Current returns the key that wraps, with its identifier. It fails with [ErrNoMasterKey]
// if the ring is empty.
func (r *Ring) Current() (id string, wrapper Wrapper, err error) {
	state := r.load()
	if len(state.keys) == 0 {
		return "", Wrapper{}, ErrNoMasterKey
	}
	return state.current, state.wrappers[state.current], nil
}

// Wrapper returns the wrapper of a key. It fails with an [OtherMasterKeyError] if the ring
// does not hold the key, and with [ErrNoMasterKey] if the ring is empty.
func (r *Ring) Wrapper(id string) (Wrapper, error) {
	state := r.load()
	if wrapper, held := state.wrappers[id]; held {
		return wrapper, nil
	}
	return Wrapper{}, state.other(id)
}

// inOrder returns the key that wraps, and then all others.
func (r *Ring) inOrder() []MasterKey {
	state := r.load()
	at := slices.Index(state.ids, state.current)
	if at <= 0 {
		return state.keys
	}
	return slices.Concat(state.keys[at:at+1], state.keys[:at], state.keys[at+1:])
}

// Seal encrypts with the key that wraps; see [MasterKey.Seal].
func (r *Ring) Seal(plain, bound []byte) ([]byte, error) {
	keys := r.inOrder()
	if len(keys) == 0 {
		return nil, ErrNoMasterKey
	}
	return keys[0].Seal(plain, bound)
}

// Open undoes [Ring.Seal] with the key that fits. It fails with [ErrWrongMasterKey] if
// none does.
func (r *Ring) Open(sealed, bound []byte) ([]byte, error) {
	keys := r.inOrder()
	if len(keys) == 0 {
		return nil, ErrNoMasterKey
	}
	for _, key := range keys {
		plain, err := key.Open(sealed, bound)
		if err == nil || !errors.Is(err, ErrWrongMasterKey) {
			return plain, err
		}
	}
	return nil, ErrWrongMasterKey
}

// Derive derives a key for another purpose from each key of the ring, that of the one
// that wraps first; see [MasterKey.For].
func (r *Ring) Derive(purpose string) (derived [][32]byte) {
	for _, key := range r.inOrder() {
		if one, err := key.For(purpose); err == nil { // it fails only for the zero key, which no ring holds
			derived = append(derived, one)
		}
	}
	return derived
}

// ParseRing parses the text of a key file. Each line is a key for [ParseMasterKey], which
// its identifier may precede. Blank lines and lines that begin with # are ignored. The text
// must have a key, and none twice.
func ParseRing(text string) ([]MasterKey, error) {
	var keys []MasterKey
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		key, err := ParseMasterKey(words[len(words)-1])
		switch {
		case err != nil || len(words) > 2:
			return nil, ErrMasterKeyForm
		case len(words) == 2 && words[0] != key.ID():
			return nil, fmt.Errorf("the key with the identifier %s has another one: %w", words[0], ErrMasterKeyForm)
		case slices.Contains(keys, key):
			return nil, fmt.Errorf("master key %s is there twice", key.ID())
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, ErrMasterKeyForm
	}
	return keys, nil
}

// ReadRing reads a file with a text for [ParseRing].
func ReadRing(file string) ([]MasterKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the master keys: %w", err)
	}
	keys, err := ParseRing(string(text))
	if err != nil {
		return nil, fmt.Errorf("read the master keys in %s: %w", file, err)
	}
	return keys, nil
}

// NewMasterKey returns 32 random bytes.
func NewMasterKey() (key MasterKey) {
	_, _ = rand.Read(key[:]) // never fails
	return key
}

// WriteRing writes a file of keys as a whole. A file that exists keeps its permissions and
// its owner; only its owner can read a new one.
func WriteRing(file string, keys []MasterKey) error {
	perm, next := fs.FileMode(0o600), file+".new"
	info, err := os.Stat(file)
	switch {
	case err == nil:
		perm = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("write the master keys: %w", err)
	}
	err = durable.Create(next, perm, func(w io.Writer) error {
		if _, err := fmt.Fprintln(w, "# Master keys of frontdesk: identifier and key. All decrypt; the database names the one that encrypts."); err != nil {
			return err
		}
		for _, key := range keys {
			if _, err := fmt.Fprintln(w, key.ID(), base64.StdEncoding.EncodeToString(key[:])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write the master keys: %w", err)
	}
	if info != nil && os.Geteuid() == 0 {
		err = chown(next, info)
	}
	if err == nil {
		err = durable.Rename(next, file)
	}
	if err != nil {
		_ = os.Remove(next)
		return fmt.Errorf("write the master keys: %w", err)
	}
	return nil
}
