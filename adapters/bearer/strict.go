package bearer

import (
	"encoding/base64"
	"errors"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxToken is the maximum size of a token, in bytes.
const maxToken = 8 << 10

// parts are the decoded parts of a token.
type parts struct {
	header, claims, signature []byte

	signed string // the text of the first two, which is signed
}

// split takes a compact JWS apart. Three decoded parts have exactly one encoding,
// because each must encode to the same bytes again. So no one can make a second token
// from one signature.
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
			return parts{}, errBase64.filled(name)
		}
	}
	return parts{decoded[0], decoded[1], decoded[2], pieces[0] + "." + pieces[1]}, nil
}

// strict64 refuses padding, and bits that are set beyond the last byte.
var strict64 = base64.RawURLEncoding.Strict()

// decode reads base64url. It looks for line breaks itself, because the standard
// library skips them even if it is strict.
func decode(s string) ([]byte, bool) {
	if strings.ContainsAny(s, "\r\n") {
		return nil, false
	}
	data, err := strict64.DecodeString(s)
	return data, err == nil
}

var errNoObject = errors.New("not a JSON object")

// object reads one JSON object into a struct. Unlike encoding/json, it compares names
// exactly (D5). It refuses a duplicate name at any depth, even inside members that the
// struct does not have. So no two readers can understand one token differently.
func object(raw []byte, into any) error {
	if jsontext.Value(raw).Kind() != '{' {
		return errNoObject
	}
	return json.Unmarshal(raw, into)
}

// section reads the object of one section of the token. The refusal names the section.
func section(name string, raw []byte, into any) error {
	err := object(raw, into)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jsontext.ErrDuplicateName):
		return errTwice.filled(name)
	}
	return errNotObject.filled(name)
}

// isNull reports whether a member is missing or null.
func isNull(v jsontext.Value) bool { return len(v) == 0 || v.Kind() == 'n' }

// absent reports whether a member is missing, null or "". These count as the same.
func absent(v jsontext.Value) bool { return isNull(v) || string(v) == `""` }

// text returns the string that v holds; false if it is something else.
func text(v jsontext.Value) (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	unquoted, err := jsontext.AppendUnquote(nil, v)
	return string(unquoted), err == nil
}

// printable returns the string that v holds; false if it is something else or has
// control characters, which upset databases and terminals.
func printable(v jsontext.Value) (string, bool) {
	s, ok := text(v)
	return s, ok && !strings.ContainsFunc(s, unicode.IsControl)
}
