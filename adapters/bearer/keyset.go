package bearer

import (
	"crypto/rsa"
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The reasons why a document is not a readable key set.
var (
	ErrNotJSON     = errors.New("the key set is not a JSON object")
	ErrNoUsableKey = errors.New("the key set holds no usable key")
)

// maxKeys is how many keys of a set are read, from its beginning.
const maxKeys = 100

// KeySet holds the usable keys of an application, by kid.
type KeySet struct {
	byKid map[string]*rsa.PublicKey
}

// Len returns the number of usable keys.
func (s KeySet) Len() int { return len(s.byKid) }

// ReadKeySet reads a JWK set and keeps its usable keys (D7). Each key is read by
// itself, so that an odd key does not spoil the others. If two keys share a kid,
// neither is used. The errors are [ErrNotJSON] and [ErrNoUsableKey].
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

// rawKeys takes the set apart. It accepts a name that is given twice inside a key,
// because that makes only that key unusable.
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

// The bounds of a usable RSA key. The upper exponent is the largest that the
// standard library takes.
const (
	minModulusBits = 2048
	maxModulusBits = 4096
	minExponent    = 3
	maxExponent    = math.MaxInt32
)

// jwk is one key of a set (RFC 7517). A null member counts as absent.
type jwk struct {
	Kty    string   `json:"kty"`
	Kid    string   `json:"kid"`
	Use    string   `json:"use"`
	Alg    string   `json:"alg"`
	KeyOps []string `json:"key_ops"`
	N      string   `json:"n"`
	E      string   `json:"e"`

	// A key that shows its private half can be anybody's (RFC 7518, section 6.3.2).
	D   jsontext.Value `json:"d"`
	P   jsontext.Value `json:"p"`
	Q   jsontext.Value `json:"q"`
	DP  jsontext.Value `json:"dp"`
	DQ  jsontext.Value `json:"dq"`
	QI  jsontext.Value `json:"qi"`
	Oth jsontext.Value `json:"oth"`
}

// publicKey returns the RSA key; false if it may not verify tokens.
func (k jwk) publicKey() (*rsa.PublicKey, bool) {
	if !k.forTokens() || k.private() {
		return nil, false
	}
	n, okN := k.modulus()
	e, okE := k.exponent()
	return &rsa.PublicKey{N: n, E: e}, okN && okE
}

func (k jwk) forTokens() bool {
	return k.Kty == "RSA" &&
		(k.Use == "" || k.Use == "sig") &&
		(k.Alg == "" || k.Alg == "RS256") &&
		(k.KeyOps == nil || slices.Contains(k.KeyOps, "verify"))
}

func (k jwk) private() bool {
	members := []jsontext.Value{k.D, k.P, k.Q, k.DP, k.DQ, k.QI, k.Oth}
	return slices.ContainsFunc(members, func(v jsontext.Value) bool { return !absent(v) })
}

func (k jwk) modulus() (*big.Int, bool) {
	raw, ok := decode(k.N)
	n := new(big.Int).SetBytes(raw)
	return n, ok && n.Bit(0) == 1 && n.BitLen() >= minModulusBits && n.BitLen() <= maxModulusBits
}

func (k jwk) exponent() (int, bool) {
	raw, ok := decode(k.E)
	e := new(big.Int).SetBytes(raw)
	if !ok || e.Bit(0) == 0 || !e.IsInt64() || e.Int64() < minExponent || e.Int64() > maxExponent {
		return 0, false
	}
	return int(e.Int64()), true
}
