package jsonerr

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Kinds of mistake in a string, for readers without package jsontext.
const (
	EndsEarly        = "the text ends too early"
	NotUTF8          = "the text is not UTF-8"
	HalfCharacter    = `an escape \u stands for half a character`
	UnknownEscape    = "a backslash begins no escape that JSON knows"
	ControlCharacter = "a line break or another control character in a string must be escaped"
)

// Kind returns the kind of mistake of an error of package jsontext, as a main clause:
// "a comma has nothing behind it". It returns "" if the text was well-formed and the
// error is another.
func Kind(err error) string {
	var malformed *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF):
		return "there is no value"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return EndsEarly
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "an object has a name twice"
	case errors.Is(err, jsontext.ErrNonStringName):
		return "a name must be a string in double quotes"
	case !errors.As(err, &malformed) || malformed.Err == nil:
		return ""
	}
	text := malformed.Err.Error()
	if malformed.ByteOffset == 0 && strings.Contains(text, `'\xef'`) { // only its first byte has arrived so far
		return byteOrderMark
	}
	for _, kind := range kinds {
		if strings.Contains(text, kind.in) {
			return kind.what
		}
	}
	return "the text is malformed"
}

const byteOrderMark = "a byte order mark must not be sent"

// kinds are recognised by the library's texts, which a test pins. The first match
// counts.
var kinds = []struct{ in, what string }{
	{"invalid UTF-8", NotUTF8},
	{"invalid surrogate pair", HalfCharacter},
	{"invalid escape sequence", UnknownEscape},
	{"expecting non-control character", ControlCharacter},
	{`'\ufeff'`, byteOrderMark},
	{"invalid character ','", "a comma has nothing before it or behind it"},
	{`invalid character '\''`, "strings must have double quotes"},
	{"expecting ',' or", "a comma or a closing bracket is missing"},
	{"expecting ':'", "a colon must follow a name"},
	{"in literal", "only true, false, null and numbers have no quotes"},
	{"at start of value", "no JSON value begins here"},
}

// Place returns the place of a mistake, for the beginning of a sentence: "after 6
// bytes".
func Place(offset int64) string {
	switch offset {
	case 0:
		return "at the very beginning"
	case 1:
		return "after 1 byte"
	}
	return fmt.Sprintf("after %d bytes", offset)
}

// Offset returns the number of bytes before the mistake, as far as the decoder has
// counted; false if the error does not have it.
func Offset(err error) (int64, bool) {
	malformed, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return 0, false
	}
	return malformed.ByteOffset, true
}

// Describe returns the place and the kind of a mistake: "after 6 bytes, a comma has
// nothing before it or behind it". It returns "" if the text was well-formed.
func Describe(err error) string {
	kind := Kind(err)
	at, known := Offset(err)
	switch {
	case !known || kind == "":
		return kind
	case at == 0 && errors.Is(err, io.ErrUnexpectedEOF):
		return Kind(io.EOF)
	}
	return Place(at) + ", " + kind
}
