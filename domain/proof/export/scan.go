package export

import (
	"bytes"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// scanner parses a line from its front. Unexpected input makes it fail, and later
// results are not valid. Results are valid until it begins another line. It exists
// because a general JSON decoder takes longer than all hashing, and accepts two members
// of one name.
type scanner struct {
	rest   []byte
	failed bool
	texts  []byte // unescaped: at most as long as the line
	box    []byte
}

func (s *scanner) begin(line []byte) {
	s.rest, s.failed, s.texts = line, false, slices.Grow(s.texts[:0], len(line))
}

// has consumes next, if the input continues with it.
func (s *scanner) has(next string) bool {
	if len(s.rest) < len(next) || string(s.rest[:len(next)]) != next {
		return false
	}
	s.rest = s.rest[len(next):]
	return true
}

// must consumes next, or fails.
func (s *scanner) must(next string) { s.require(s.has(next)) }

func (s *scanner) require(ok bool) {
	if !ok {
		s.failed, s.rest = true, nil
	}
}

// number parses a whole number, in the form of [strconv], up to a limit.
func (s *scanner) number(name string, most int64) (n int64) {
	s.must(name)
	end := 0
	for end < len(s.rest) && s.rest[end] >= '0' && s.rest[end] <= '9' {
		end++
	}
	digits := s.rest[:end]
	n, err := strconv.ParseInt(string(digits), 10, 64)
	s.rest = s.rest[end:]
	s.require(err == nil && n <= most && (digits[0] != '0' || end == 1))
	return n
}

// fixed parses a text of a given number of bytes without escapes. Otherwise it returns
// nil.
func (s *scanner) fixed(name string, size int) (text []byte) {
	s.must(name)
	if len(s.rest) <= size || s.rest[size] != '"' {
		s.require(false)
		return nil
	}
	text, s.rest = s.rest[:size], s.rest[size+1:]
	return text
}

func (s *scanner) id(name string) (id uuid.UUID) {
	text := s.fixed(name, 36)
	if text == nil {
		return id
	}
	s.require(text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-')
	s.require(unhex(id[:4], text) && unhex(id[4:6], text[9:]) && unhex(id[6:8], text[14:]) && unhex(id[8:10], text[19:]) && unhex(id[10:], text[24:]))
	return id
}

func (s *scanner) digest(name string) (d event.Digest) {
	text := s.fixed(name, 64)
	s.require(text != nil && unhex(d[:], text))
	return d
}

// unhex decodes as many bytes as there is room for. It accepts no capital letters.
func unhex(into, text []byte) bool {
	for n := range into {
		high, low := nibbles[text[2*n]], nibbles[text[2*n+1]]
		if high == noNibble || low == noNibble {
			return false
		}
		into[n] = high<<4 | low
	}
	return true
}

const noNibble = 0xff

var nibbles = func() (of [256]byte) {
	for n := range of {
		of[n] = noNibble
	}
	for n, digit := range []byte("0123456789abcdef") {
		of[digit] = byte(n)
	}
	return of
}()

func (s *scanner) optionalID(name string) (id uuid.UUID) {
	if !s.has(name) {
		return uuid.Nil
	}
	id = s.id("")
	s.require(id != uuid.Nil)
	return id
}

func (s *scanner) instant(name string) time.Time {
	text := s.fixed(name, len(instantForm))
	at, err := time.Parse(time.RFC3339Nano, string(text)) // which has a fast path, and is checked for our form
	s.require(err == nil && text[19] == '.' && text[26] == 'Z')
	return at
}

var strictBase64 = base64.StdEncoding.Strict()

// bytes parses base64. It never returns nil, and may be used once a line.
func (s *scanner) bytes() []byte {
	end := max(0, bytes.IndexByte(s.rest, '"'))
	box, err := strictBase64.AppendDecode(slices.Grow(s.box[:0], end+1), s.rest[:end])
	s.box, s.rest = box, s.rest[end:]
	s.must(`"`)
	s.require(err == nil && strictBase64.EncodedLen(len(box)) == end)
	return box
}

// short parses a text whose length is in the leaf.
func (s *scanner) short(name string) string {
	text := s.text(name)
	s.require(len(text) <= math.MaxUint16)
	return string(text)
}

// text parses a text, and never returns nil. There is always room for it: no text is
// longer than its source.
func (s *scanner) text(name string) []byte {
	s.must(name)
	from, rest := len(s.texts), s.rest
	into := s.texts[from:cap(s.texts)]
	for n, end := 0, 0; n < len(rest); {
		c := rest[n]
		if plain[c] {
			into[end] = c
			n, end = n+1, end+1
			continue
		}
		if c == '"' {
			s.rest, s.texts = rest[n+1:], s.texts[:from+end]
			return into[:end:end]
		}
		if c != '\\' || n+1 == len(rest) {
			break
		}
		if escaped := escapes[rest[n+1]]; escaped != 0 {
			into[end] = escaped
			n, end = n+2, end+1
			continue
		}
		s.rest = rest[n+1:]
		end += utf8.EncodeRune(into[end:], s.unicode())
		rest, n = s.rest, 0
	}
	s.require(false)
	return []byte{}
}

// plain has the bytes that need no escape in a text.
var plain = func() (is [256]bool) {
	for c := range is {
		is[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return is
}()

// escapes has the character of each escape, by the byte after the backslash.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unicode parses the character of one escape, or of a pair, behind its backslash.
func (s *scanner) unicode() rune {
	r := s.unit()
	if !utf16.IsSurrogate(r) {
		return r
	}
	s.must(`\`)
	r = utf16.DecodeRune(r, s.unit())
	s.require(r != utf8.RuneError)
	return r
}

// unit parses the letter u and four hexadecimal digits.
func (s *scanner) unit() rune {
	s.must("u")
	digits := s.rest[:min(4, len(s.rest))]
	r, err := strconv.ParseUint(string(digits), 16, 16)
	s.rest = s.rest[len(digits):]
	s.require(err == nil && len(digits) == 4)
	return rune(r)
}
