package body

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/domain/fault"
)

// ErrMediaType refuses a body that is declared to be something other than JSON.
var ErrMediaType = fault.New(fault.Unsupported, "unsupported-media-type", "Send the body as Content-Type: application/json.")

// isJSON accepts application/json with any parameters, and no Content-Type.
func isJSON(contentTypes []string) bool {
	if len(contentTypes) == 0 {
		return true
	}
	media, _, err := mime.ParseMediaType(contentTypes[0])
	return len(contentTypes) == 1 && media == "application/json" &&
		(err == nil || errors.Is(err, mime.ErrInvalidMediaParameter))
}

// readJSON reads one JSON value as a tree of map[string]any, []any, string,
// number, bool and nil. It refuses anything after the value. It also refuses a
// name that an object has twice, invalid UTF-8, a lone surrogate and U+0000
// (D19), because other readers would understand each of these differently.
func readJSON(r io.Reader, texts Texts) (any, error) {
	held := &held{texts: texts}
	reader := treeReader{jsontext.NewDecoder(&inline{Reader: r, held: held}), held}
	tree, err := reader.value()
	if err != nil {
		return nil, refusalOf(err)
	}
	if err := reader.end(); err != nil {
		return nil, refusalOf(err)
	}
	return tree, nil
}

// refusalOf returns the refusal that an error of the decoder means. It returns
// refusals, and errors of the source of the body, as they are.
func refusalOf(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return ErrTooLarge
	}
	if _, refused := errors.AsType[*fault.Error](err); refused {
		return err
	}
	if _, malformed := errors.AsType[*jsontext.SyntacticError](err); malformed || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errMalformed
	}
	return err
}

// number is a JSON number as it was written. No field of the contract is a number.
type number string

// treeReader reads values and counts them.
type treeReader struct {
	*jsontext.Decoder
	held *held
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
	_, err := d.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	return ErrInvalid.With("Nothing may follow the JSON object.")
}
