package bearer

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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

var errNoObject = errors.New("not a JSON object")

// object reads one JSON object into a struct. Unlike encoding/json it compares
// names exactly (D5) and refuses a name given twice at any depth, also inside
// members that the struct does not have: two readers of one token must never
// read two different tokens.
func object(raw []byte, into any) error {
	if jsontext.Value(raw).Kind() != '{' {
		return errNoObject
	}
	return json.Unmarshal(raw, into)
}

// section is object for a section of the token, whose name the refusal says.
func section(name string, raw []byte, into any) error {
	err := object(raw, into)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jsontext.ErrDuplicateName):
		return errTwice.with(name)
	}
	return errNotObject.with(name)
}

// absent reports whether a member is missing, null or "", which is all the
// same (D1).
func absent(v jsontext.Value) bool {
	return len(v) == 0 || bytes.Equal(v, []byte("null")) || bytes.Equal(v, []byte(`""`))
}

// text is the string that v holds; false when it is something else.
func text(v jsontext.Value) (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	unquoted, err := jsontext.AppendUnquote(nil, v)
	return string(unquoted), err == nil
}

// printable is text without control characters, which databases and
// terminals choke on.
func printable(v jsontext.Value) (string, bool) {
	s, ok := text(v)
	return s, ok && !strings.ContainsFunc(s, unicode.IsControl)
}
