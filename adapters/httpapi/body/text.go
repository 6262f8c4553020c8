package body

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"frontdesk/adapters/jsonerr"
)

// textReader reads a JSON string character by character and undoes its escapes. It
// refuses the same text as the parser.
type textReader struct{ in *bufio.Reader }

// textMistake is a kind of mistake in a JSON string, in the words of package jsonerr.
type textMistake string

func (m textMistake) Error() string { return string(m) }

// next returns the next character. At the closing quote, ended is true.
func (t textReader) next() (r rune, ended bool, err error) {
	c, err := t.in.ReadByte()
	switch {
	case err != nil:
		return 0, false, cut(err)
	case c == '"':
		return 0, true, nil
	case c == '\\':
		r, err = t.escape()
		return r, false, err
	case c < ' ':
		return 0, false, textMistake(jsonerr.ControlCharacter)
	case c < utf8.RuneSelf:
		return rune(c), false, nil
	}
	r, err = t.beyondASCII()
	return r, false, err
}

// beyondASCII reads the character whose first byte has just been read.
func (t textReader) beyondASCII() (rune, error) {
	if err := t.in.UnreadByte(); err != nil {
		return 0, err
	}
	r, size, err := t.in.ReadRune()
	if r == utf8.RuneError && size == 1 {
		return 0, textMistake(jsonerr.NotUTF8)
	}
	return r, err
}

// escape reads the rest of an escape, after its backslash.
func (t textReader) escape() (rune, error) {
	c, err := t.in.ReadByte()
	if err != nil {
		return 0, cut(err)
	}
	if c == 'u' {
		return t.unicode()
	}
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	return 0, textMistake(jsonerr.UnknownEscape)
}

// unicode reads the digits of a \u escape and, for a surrogate pair, the second
// escape.
func (t textReader) unicode() (rune, error) {
	r, err := t.digits()
	if err != nil {
		return 0, err
	}
	if r == 0 {
		return 0, errNUL
	}
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	for _, want := range []byte(`\u`) {
		c, err := t.in.ReadByte()
		if err != nil {
			return 0, cut(err)
		}
		if c != want {
			return 0, textMistake(jsonerr.HalfCharacter)
		}
	}
	second, err := t.digits()
	if err != nil {
		return 0, err
	}
	if r = utf16.DecodeRune(r, second); r == utf8.RuneError {
		return 0, textMistake(jsonerr.HalfCharacter)
	}
	return r, nil
}

func (t textReader) digits() (rune, error) {
	var digits [4]byte
	if _, err := io.ReadFull(t.in, digits[:]); err != nil {
		return 0, cut(err)
	}
	value, err := strconv.ParseUint(string(digits[:]), 16, 16)
	if err != nil {
		return 0, textMistake(jsonerr.UnknownEscape)
	}
	return rune(value), nil
}

// cut converts io.EOF to the error that the text has no end.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
