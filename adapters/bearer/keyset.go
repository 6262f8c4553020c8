package bearer

import (
	"crypto/rsa"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/adapters/jsonerr"
)

// The reasons why a document is not a readable key set.
var (
	ErrNotJSON     = errors.New("the key set is not a JSON object")
	ErrNoUsableKey = errors.New("the key set holds no usable key")
)

// maxKeys limits the keys that are read of a set, from its beginning.
const maxKeys = 100

// KeySet holds the usable keys of an application, by kid.
type KeySet struct {
	byKid    map[string]*rsa.PublicKey
	verdicts []KeyVerdict
	unread   int // keys after the first maxKeys
}

// KeyVerdict is whether one key of a published set verifies tokens. It is for the
// application that owns the set and for the operator, never for the sender of a token.
type KeyVerdict struct {
	Kid     string // at most 256 bytes; "" if it has none that can be read
	Usable  bool
	Why     string // why it is not used, as the rest of a sentence: "it has no kid"; "" if it is
	Private bool   // it contains its private half
}

const privateWhy = "it holds a private key: rotate it now, because anyone can sign with a published key, and publish only its public half"

// Len returns the number of usable keys.
func (s KeySet) Len() int { return len(s.byKid) }

// Kids returns the kids of the usable keys, in order.
func (s KeySet) Kids() []string { return slices.Sorted(maps.Keys(s.byKid)) }

// Verdicts returns the verdict on each key, in the order of the set. The caller must
// not change them.
func (s KeySet) Verdicts() []KeyVerdict { return s.verdicts }

// ReadKeySet reads a JWK set and keeps its usable keys (D7). Each key is read
// separately, so that a malformed key does not affect the others. If two keys share a
// kid, neither is used. The errors are [ErrNotJSON] and [ErrNoUsableKey]; the latter
// comes with a set without keys, but with verdicts.
func ReadKeySet(document []byte) (KeySet, error) {
	raw, err := rawKeys(document)
	if err != nil {
		return KeySet{}, err
	}
	read := raw[:min(len(raw), maxKeys)]
	judging := judging{KeySet{byKid: make(map[string]*rsa.PublicKey), unread: len(raw) - len(read)}, make(map[string]int)}
	for _, one := range read {
		judging.judge(one)
	}
	set := judging.set
	for i := range set.verdicts {
		set.verdicts[i].Kid = sanitised(set.verdicts[i].Kid)
	}
	if len(set.byKid) == 0 {
		return set, ErrNoUsableKey
	}
	return set, nil
}

// judging is a set while it is read.
type judging struct {
	set  KeySet
	seen map[string]int // index of the first key with each kid
}

// judge reads one more key. It keeps the verdict, and the key if it is usable so far.
func (j *judging) judge(raw jsontext.Value) {
	kid, key, why := readKey(raw)
	private := showsPrivateHalf(raw)
	if private {
		key, why = nil, privateWhy
	}
	here := len(j.set.verdicts)
	j.set.verdicts = append(j.set.verdicts, KeyVerdict{Kid: kid, Usable: key != nil, Why: why, Private: private})
	first, twice := j.seen[kid]
	switch {
	case kid == "":
	case twice:
		delete(j.set.byKid, kid)
		j.shares(first)
		j.shares(here)
	default:
		j.seen[kid] = here
		if key != nil {
			j.set.byKid[kid] = key
		}
	}
}

// shares notes that an otherwise usable key is not used because another one has its
// kid.
func (j *judging) shares(i int) {
	if v := &j.set.verdicts[i]; v.Usable {
		v.Usable, v.Why = false, "its kid is held twice: each key must have one of its own"
	}
}

// lax accepts duplicate names inside a key, because they make only that key unusable.
var lax = jsontext.AllowDuplicateNames(true)

// rawKeys splits the set.
func rawKeys(document []byte) ([]jsontext.Value, error) {
	var set struct {
		Keys jsontext.Value `json:"keys"`
	}
	if err := json.Unmarshal(document, &set, lax); err != nil || jsontext.Value(document).Kind() != '{' {
		return nil, notJSON(err)
	}
	var keys []jsontext.Value
	if json.Unmarshal(set.Keys, &keys, lax) != nil {
		return nil, ErrNoUsableKey
	}
	return keys, nil
}

// notJSONError is an [ErrNotJSON] with a reason, as the rest of a sentence about the
// document.
type notJSONError string

func (n notJSONError) Error() string { return ErrNotJSON.Error() + ": it " + string(n) }

// Is makes the error an [ErrNotJSON].
func (n notJSONError) Is(target error) bool { return target == ErrNotJSON }

func notJSON(err error) error {
	if why := jsonerr.Describe(err); why != "" {
		return notJSONError("is not JSON: " + why)
	}
	return notJSONError("is JSON, but not an object")
}

// maxShown limits a kid or another member of a key for display, in bytes.
const maxShown = 256

// sanitised returns the beginning of a text in a key set, safe for terminals and limited in
// memory.
func sanitised(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s[:min(len(s), maxShown)])
	return strings.Clone(s)
}
