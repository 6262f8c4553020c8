package bearer

import (
	"bytes"
	"errors"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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
