package bearertest

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"sync"
)

// Key is an RSA key of 2048 bits, the same one throughout a process: making
// one takes longer than most tests.
func Key() *rsa.PrivateKey { return key() }

// StrangersKey is another one, which no key set of these tests holds.
func StrangersKey() *rsa.PrivateKey { return strangersKey() }

var (
	key          = sync.OnceValue(newKey)
	strangersKey = sync.OnceValue(newKey)
)

func newKey() *rsa.PrivateKey {
	made, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // the system has no random numbers
	}
	return made
}

// JWK is the public key as a member of a key set (RFC 7517). Change it to make
// an odd one.
func JWK(kid string, public *rsa.PublicKey) map[string]any {
	return map[string]any{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid,
		"n": encode(public.N.Bytes()),
		"e": encode(big.NewInt(int64(public.E)).Bytes()),
	}
}

// KeySet is a JWK set of keys, each something that encodes as JSON.
func KeySet(keys ...any) []byte {
	return mustMarshal(map[string]any{"keys": append([]any{}, keys...)})
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func mustMarshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // a test wrote something that is no JSON
	}
	return data
}
