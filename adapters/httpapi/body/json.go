package body

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/adapters/jsonerr"
	"frontdesk/domain/fault"
)

// ErrMediaType refuses a body that is declared to be something other than JSON.
var ErrMediaType = fault.New(fault.Unsupported, "unsupported-media-type", "Send the body as Content-Type: application/json.")

// IsJSON accepts application/json with any parameters, and no Content-Type.
func IsJSON(contentTypes []string) bool {
	if len(contentTypes) == 0 {
		return true
	}
	media, _, err := mime.ParseMediaType(contentTypes[0])
	return len(contentTypes) == 1 && media == "application/json" &&
		(err == nil || errors.Is(err, mime.ErrInvalidMediaParameter))
}

// The refusals of a body that is not JSON, or not JSON that all readers understand in
// the same way. None repeats what the body holds.
var (
	errEmpty     = ErrInvalid.Worded("The body is empty: it must be a JSON object.")
	errMalformed = ErrInvalid.Worded("The body is not JSON: %s.")
	errTwice     = ErrInvalid.Worded("The body is not JSON that all readers understand alike: %s, an object has the name %s twice.")
	errRest      = ErrInvalid.Worded("Nothing may follow the JSON object, which ends after %d bytes.")
	errNUL       = ErrInvalid.Worded("A text must not contain U+0000.")
)

// readJSON reads one JSON value as a tree of map[string]any, []any, string, number,
// bool and nil. It refuses trailing text. It also refuses a name that an object has
// twice, invalid UTF-8, a lone surrogate and U+0000 (D19), because other readers would
// understand each of these differently. A refusal names only known names.
func readJSON(r io.Reader, texts Texts, known ...string) (any, error) {
	held := &held{texts: texts}
	reader := treeReader{jsontext.NewDecoder(&inline{Reader: r, held: held}), held}
	tree, err := reader.whole()
	if err != nil {
		return nil, refusalOf(err, r, known)
	}
	return tree, nil
}

// refusalOf maps an error of the decoder to its refusal. It returns refusals, and
// errors of the body's source, unchanged.
func refusalOf(err error, source io.Reader, known []string) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return ErrTooLarge
	}
	if _, refused := errors.AsType[*fault.Error](err); refused {
		return err
	}
	kind, at := jsonerr.Kind(err), whereIn(source, err)
	name := duplicated(err)
	switch rest, isRest := errors.AsType[restError](err); {
	case isRest:
		return errRest.Filled(arrived(source, int64(rest)))
	case errors.Is(err, io.EOF):
		return errEmpty
	case slices.Contains(known, name):
		return errTwice.Filled(at, name)
	case kind != "":
		return errMalformed.Filled(strings.TrimPrefix(at+", "+kind, ", "))
	}
	return err
}

// arrived returns the offset in the body of an offset in its JSON.
func arrived(source io.Reader, offset int64) int64 {
	if d, diverted := source.(*diverter); diverted {
		return d.arrived(offset)
	}
	return offset
}

// whereIn returns the place of a mistake in the body; "" if unknown.
func whereIn(source io.Reader, err error) string {
	offset, known := jsonerr.Offset(err)
	if !known {
		return ""
	}
	return jsonerr.Place(arrived(source, offset))
}

// duplicated returns the name that an object has twice; "" if that is not the mistake.
func duplicated(err error) string {
	malformed, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok || !errors.Is(err, jsontext.ErrDuplicateName) {
		return ""
	}
	return malformed.JSONPointer.LastToken()
}

// restError is the offset of trailing text after the JSON value.
type restError int64

func (r restError) Error() string { return "something follows the JSON value" }

// number is a JSON number as it was written. No field of the contract is a number.
type number string

// treeReader reads values and counts them.
type treeReader struct {
	*jsontext.Decoder
	held *held
}

// whole reads a value and refuses trailing text.
func (d *treeReader) whole() (any, error) {
	tree, err := d.value()
	if err != nil {
		return nil, err
	}
	return tree, d.end()
}

func (d *treeReader) value() (any, error) {
	if err := d.held.add(0, 1); err != nil {
		return nil, err
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return d.object()
	case '[':
		return d.array()
	case '"':
		return text(token)
	case '0':
		return number(token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

func (d *treeReader) object() (any, error) {
	object := map[string]any{}
	for d.PeekKind() != '}' {
		name, err := d.value() // the decoder knows that it is a string
		if err != nil {
			return nil, err
		}
		if object[name.(string)], err = d.value(); err != nil {
			return nil, err
		}
	}
	_, err := d.ReadToken()
	return object, err
}

func (d *treeReader) array() (any, error) {
	array := []any{}
	for d.PeekKind() != ']' {
		item, err := d.value()
		if err != nil {
			return nil, err
		}
		array = append(array, item)
	}
	_, err := d.ReadToken()
	return array, err
}

func text(token jsontext.Token) (any, error) {
	s := token.String()
	if strings.ContainsRune(s, 0) {
		return nil, errNUL
	}
	return s, nil
}

func (d *treeReader) end() error {
	ended := d.InputOffset()
	_, err := d.ReadToken()
	_, malformed := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil, malformed:
		return restError(ended)
	}
	return err
}
