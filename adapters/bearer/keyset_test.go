package bearer_test

import (
	"bytes"
	"crypto/rsa"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"testing"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/bearer/bearertest"
)

// mine is the application's key in a set, with one member changed.
func mine(name string, value any) map[string]any {
	key := bearertest.JWK(app.Kid, &app.Key.PublicKey)
	key[name] = value
	return key
}

// modulus returns a modulus of a number of bits; it is odd unless odd is 0.
func modulus(bits uint, odd int64) map[string]any {
	n := new(big.Int).Lsh(big.NewInt(1), bits-1)
	return bearertest.JWK("sized", &rsa.PublicKey{N: n.Add(n, big.NewInt(odd)), E: 65537})
}

func TestAKeyCountsOrNot(t *testing.T) {
	t.Parallel()
	public := bearertest.JWK(app.Kid, &app.Key.PublicKey)
	for name, test := range map[string]struct {
		key    any
		usable bool
	}{
		"a plain key":         {public, true},
		"no use":              {mine("use", nil), true},
		"no alg":              {mine("alg", nil), true},
		"key_ops null":        {mine("key_ops", nil), true},
		"key_ops with verify": {mine("key_ops", []string{"wrap", "verify"}), true},
		"unknown members":     {mine("x5t", map[string]any{"a": 1}), true},
		"a private null":      {mine("d", nil), true},
		"2048 bits":           {modulus(2048, 1), true},
		"4096 bits":           {modulus(4096, 1), true},
		"exponent 3":          {mine("e", "Aw"), true},
		"a zero in front":     {mine("e", "AAEAAQ"), true},

		"use enc":             {mine("use", "enc"), false},
		"use SIG":             {mine("use", "SIG"), false},
		"alg RS512":           {mine("alg", "RS512"), false},
		"alg PS256":           {mine("alg", "PS256"), false},
		"key_ops empty":       {mine("key_ops", []string{}), false},
		"key_ops to encrypt":  {mine("key_ops", []string{"encrypt"}), false},
		"key_ops text":        {mine("key_ops", "verify"), false},
		"no kid":              {mine("kid", nil), false},
		"kid empty":           {mine("kid", ""), false},
		"kid a number":        {mine("kid", 1), false},
		"kty EC":              {mine("kty", "EC"), false},
		"kty rsa":             {mine("kty", "rsa"), false},
		"a private half":      {mine("d", "AQAB"), false},
		"a prime":             {mine("p", "AQAB"), false},
		"another prime":       {mine("oth", []any{}), false},
		"2047 bits":           {modulus(2047, 1), false},
		"4097 bits":           {modulus(4097, 1), false},
		"8192 bits":           {modulus(8192, 1), false},
		"an even modulus":     {modulus(2048, 0), false},
		"no modulus":          {mine("n", nil), false},
		"a padded modulus":    {mine("n", public["n"].(string)+"=="), false},
		"a broken modulus":    {mine("n", public["n"].(string)+"\n"), false},
		"exponent 1":          {mine("e", "AQ"), false},
		"an even exponent":    {mine("e", "AQAA"), false},
		"an exponent of 2^32": {mine("e", "AQAAAAE"), false},
		"a vast exponent":     {mine("e", public["n"]), false},
		"no exponent":         {mine("e", ""), false},
		"no object":           {"key", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := bearer.ReadKeySet(bearertest.KeySet(test.key))
			if test.usable && err != nil || !test.usable && !errors.Is(err, bearer.ErrNoUsableKey) {
				t.Errorf("%v", err)
			}
		})
	}
}

// Keys that real sets contain next to the one that is used.
func TestAnOddKeySpoilsNoOther(t *testing.T) {
	t.Parallel()
	right := bytes.TrimSuffix(bytes.TrimPrefix(app.JWKS(), []byte(`{"keys":[`)), []byte(`]}`))
	for _, odd := range []string{
		`{"kty":"XYZ","kid":"x"}`, `{"kty":"OKP","crv":"X448","kid":"x","x":"AQ"}`, `{"kty":"EC","crv":"secp256k1","kid":"x"}`,
		`{"kty":"RSA","kid":"x","e":"AQAB"}`, `{"kty":"RSA","kid":"x","x5c":["nonsense"],"n":"AQ","e":"AQAB"}`,
		`{"kty":"RSA","kid":7}`, `{"kty":"RSA","kid":"x","kid":"x"}`, `{}`, `null`, `7`, `[]`, `"key"`, `{"a":{"b":1,"b":2}}`,
	} {
		for _, set := range []string{`{"keys":[%[1]s,%[2]s]}`, `{"keys":[%[2]s,%[1]s]}`} {
			keys, err := bearer.ReadKeySet(fmt.Appendf(nil, set, odd, right))
			if err != nil || keys.Len() != 1 || judge(app.Token(noon), keys) != nil {
				t.Errorf("beside %s: %v, %d keys", odd, err, keys.Len())
			}
		}
	}
}

func TestAKidHeldTwiceNamesNoKey(t *testing.T) {
	t.Parallel()
	twin := bearertest.JWK(app.Kid, &stranger.Key.PublicKey)
	good := bearertest.JWK("another", &app.Key.PublicKey)
	for name, set := range map[string][]byte{
		"two":             bearertest.KeySet(mine("x", 1), twin, good),
		"three":           bearertest.KeySet(mine("x", 1), twin, good, twin),
		"the same twice":  bearertest.KeySet(mine("x", 1), mine("x", 1), good),
		"one is unusable": bearertest.KeySet(mine("x", 1), mine("use", "enc"), good),
		"the other is":    bearertest.KeySet(mine("use", "enc"), mine("x", 1), good),
	} {
		keys := mustKeys(t, set)
		refusedIn(t, name, judge(app.Token(noon), keys), "Invalid JWT: no key with this kid")
		if err := judge(app.Token(noon, header("kid", "another")), keys); err != nil {
			t.Errorf("%s: the other key: %v", name, err)
		}
	}
}

func refusedIn(t *testing.T, name string, err error, detail string) {
	t.Helper()
	t.Run(name, func(t *testing.T) { refused(t, err, detail) })
}

func TestOfASetTheFirstHundredKeysCount(t *testing.T) {
	t.Parallel()
	many := make([]any, 101)
	for i := range many {
		key := maps.Clone(bearertest.JWK("", &app.Key.PublicKey))
		key["kid"] = fmt.Sprint(i)
		many[i] = key
	}
	keys := mustKeys(t, bearertest.KeySet(many...))
	if err := judge(app.Token(noon, header("kid", "99")), keys); err != nil || keys.Len() != 100 {
		t.Errorf("the hundredth key: %v, %d keys", err, keys.Len())
	}
	refused(t, judge(app.Token(noon, header("kid", "100")), keys), "Invalid JWT: no key with this kid")
}

func TestADocumentIsAReadableSetOrNot(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]error{
		"": bearer.ErrNotJSON, "null": bearer.ErrNotJSON, "[]": bearer.ErrNotJSON, "<html></html>": bearer.ErrNotJSON,
		`{"keys":[]`: bearer.ErrNotJSON, `{"keys":[]}}`: bearer.ErrNotJSON, "{\"a\":\"\xff\"}": bearer.ErrNotJSON,
		`{}`: bearer.ErrNoUsableKey, `{"keys":[]}`: bearer.ErrNoUsableKey, `{"keys":null}`: bearer.ErrNoUsableKey,
		`{"keys":{}}`: bearer.ErrNoUsableKey, `{"keys":"all"}`: bearer.ErrNoUsableKey, `{"keys":[{}]}`: bearer.ErrNoUsableKey,
		`{"Keys":[` + string(app.JWKS()[9:]): bearer.ErrNoUsableKey,
	} {
		if _, err := bearer.ReadKeySet([]byte(document)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", document, err, want)
		}
	}
}
