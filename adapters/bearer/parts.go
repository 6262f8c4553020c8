package bearer

import (
	"encoding/base64"
	"strings"
)

// maxToken bounds a token, in bytes (D1).
const maxToken = 8 << 10

// parts is a token taken apart, its signature aside.
type parts struct {
	header, claims []byte
}

// split takes a compact JWS apart. There is exactly one text for any three
// parts: what decodes here encodes to the same bytes again, so nobody can
// make a second token out of one signature.
func split(token string) (parts, error) {
	if len(token) > maxToken {
		return parts{}, errTooLong
	}
	pieces := strings.Split(token, ".")
	if len(pieces) != 3 {
		return parts{}, errParts
	}
	var decoded [3][]byte
	for i, name := range [...]string{"header", "claims part", "signature"} {
		var ok bool
		if decoded[i], ok = decode(pieces[i]); !ok {
			return parts{}, errBase64.with(name)
		}
	}
	return parts{header: decoded[0], claims: decoded[1]}, nil
}

// strict64 refuses padding, and bits set beyond the last byte.
var strict64 = base64.RawURLEncoding.Strict()

// decode reads base64url. The standard library skips line breaks even when
// strict, so they are looked for here.
func decode(s string) ([]byte, bool) {
	if strings.ContainsAny(s, "\r\n") {
		return nil, false
	}
	data, err := strict64.DecodeString(s)
	return data, err == nil
}
