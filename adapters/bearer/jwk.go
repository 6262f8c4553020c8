package bearer

import (
	"crypto/rsa"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The limits of a usable RSA key. The upper exponent is the largest that the standard
// library accepts.
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
}

// readKey returns the RSA key, or why it is not usable, as the rest of a sentence about
// the key.
func readKey(raw jsontext.Value) (kid string, key *rsa.PublicKey, why string) {
	var k jwk
	if why := unreadable(object(raw, &k)); why != "" {
		return "", nil, why
	}
	for _, judge := range []func() string{k.nameless, k.forAnotherUse} {
		if why := judge(); why != "" {
			return k.Kid, nil, why
		}
	}
	n, why := k.modulus()
	if why != "" {
		return k.Kid, nil, why
	}
	e, why := k.exponent()
	if why != "" {
		return k.Kid, nil, why
	}
	return k.Kid, &rsa.PublicKey{N: n, E: e}, ""
}

// unreadable returns why a key could not be read; "" if it could.
func unreadable(err error) string {
	switch odd, isOdd := errors.AsType[*json.SemanticError](err); {
	case err == nil:
		return ""
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "it has a member twice"
	case isOdd:
		return fmt.Sprintf("its %s is not of the type that RFC 7517 gives it", odd.JSONPointer.LastToken())
	}
	return "it is not a JSON object"
}

func (k jwk) nameless() string {
	if k.Kid == "" {
		return "it has no kid"
	}
	return ""
}

func (k jwk) forAnotherUse() string {
	switch {
	case k.Kty != "RSA":
		return "its kty is not RSA"
	case k.Use != "" && k.Use != "sig":
		return fmt.Sprintf("its use is %.32q: it must be sig, or absent", k.Use)
	case k.Alg != "" && k.Alg != "RS256":
		return fmt.Sprintf("its alg is %.32q: it must be RS256, or absent", k.Alg)
	case k.KeyOps != nil && !slices.Contains(k.KeyOps, "verify"):
		return "its key_ops do not hold verify"
	}
	return ""
}

func (k jwk) modulus() (*big.Int, string) {
	raw, ok := decode(k.N)
	n := new(big.Int).SetBytes(raw)
	switch bits := n.BitLen(); {
	case k.N == "":
		return nil, "it has no n"
	case !ok:
		return nil, "its n is not base64url without padding"
	case bits < minModulusBits, bits > maxModulusBits:
		return nil, fmt.Sprintf("it has %d bits: it must have %d to %d", bits, minModulusBits, maxModulusBits)
	case n.Bit(0) == 0:
		return nil, "its n is even, and so no modulus of RSA"
	}
	return n, ""
}

func (k jwk) exponent() (int, string) {
	raw, ok := decode(k.E)
	e := new(big.Int).SetBytes(raw)
	switch {
	case k.E == "":
		return 0, "it has no e"
	case !ok:
		return 0, "its e is not base64url without padding"
	case e.Bit(0) == 0, !e.IsInt64(), e.Int64() < minExponent, e.Int64() > maxExponent:
		return 0, fmt.Sprintf("its e must be odd and from %d to %d", minExponent, maxExponent)
	}
	return int(e.Int64()), ""
}

// showsPrivateHalf reports whether a key of a set contains private members (RFC 7518,
// sections 6.2.2, 6.3.2 and 6.4.1). It also reads malformed keys, because their owner
// must be warned as well.
func showsPrivateHalf(raw jsontext.Value) bool {
	var k struct {
		Kty jsontext.Value `json:"kty"`
		K   jsontext.Value `json:"k"`
		D   jsontext.Value `json:"d"`
		P   jsontext.Value `json:"p"`
		Q   jsontext.Value `json:"q"`
		DP  jsontext.Value `json:"dp"`
		DQ  jsontext.Value `json:"dq"`
		QI  jsontext.Value `json:"qi"`
		Oth jsontext.Value `json:"oth"`
	}
	if raw.Kind() != '{' || json.Unmarshal(raw, &k, lax) != nil {
		return false
	}
	if kty, _ := text(k.Kty); kty == "oct" && !absent(k.K) {
		return true
	}
	members := []jsontext.Value{k.D, k.P, k.Q, k.DP, k.DQ, k.QI, k.Oth}
	return slices.ContainsFunc(members, func(v jsontext.Value) bool { return !absent(v) })
}
