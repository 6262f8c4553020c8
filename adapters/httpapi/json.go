package httpapi

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

// Bounds of the JSON that is held in memory for one call. Small values take
// far more memory than text, so they are counted.
const (
	maxInline = 4 << 20
	maxValues = 1 << 16
)

// body is the JSON tree of a call's body, read strictly (D19): see [ReadJSON].
func body(_ http.ResponseWriter, r *http.Request) (any, error) {
	if !isJSON(r.Header.Values("Content-Type")) {
		return nil, errMediaType
	}
	return ReadJSON(&inline{r: r.Body, seat: &callOf(r.Context()).text})
}

// isJSON accepts application/json, with any parameters, or nothing at all.
func isJSON(contentTypes []string) bool {
	if len(contentTypes) == 0 {
		return true
	}
	media, _, err := mime.ParseMediaType(contentTypes[0])
	return len(contentTypes) == 1 && media == "application/json" &&
		(err == nil || errors.Is(err, mime.ErrInvalidMediaParameter))
}

// ReadJSON reads one JSON value and nothing after it, as a tree of
// map[string]any, []any, string, number, bool and nil. A name twice in one
// object, invalid UTF-8, a lone surrogate and U+0000 are refused (D19): each
// would be read differently by somebody else.
func ReadJSON(r io.Reader) (any, error) {
	reader := treeReader{Decoder: jsontext.NewDecoder(r)}
	tree, err := reader.value()
	if err == nil {
		err = reader.end()
	}
	if err == nil {
		return tree, nil
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, errTooLarge
	}
	if _, refused := errors.AsType[*fault.Error](err); refused {
		return nil, err
	}
	if _, malformed := errors.AsType[*jsontext.SyntacticError](err); malformed || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return nil, errMalformed
	}
	return nil, err
}

// number is a JSON number as it was written. No field of the contract is one.
type number string

// treeReader reads values, and counts them.
type treeReader struct {
	*jsontext.Decoder
	values int
}

func (d *treeReader) value() (any, error) {
	if d.values++; d.values > maxValues {
		return nil, errTooLarge
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
	if err == nil {
		err = request.ErrInvalidBody.With("Something follows the JSON object.")
	}
	return err
}
