package body

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

// strict64 is padded base64 (RFC 4648, section 4). It would skip line breaks, so they
// must be refused before.
var strict64 = base64.StdEncoding.Strict()

// decoder decodes one JSON string of base64 as it arrives.
type decoder struct {
	text  textReader
	out   io.Writer
	quad  [4]byte // characters of an incomplete group
	n     int     // how many
	ended bool    // by padding: no character may follow
	bytes []byte  // receives the decoded bytes

	at      int             // characters so far
	begins  []byte          // the first of them
	mistake request.Mistake // the first; zero if there is none so far
}

// dataURL is the prefix of the text that browsers make of a file.
const dataURL = "data:"

// decode reads a JSON string whose opening quote has been read, and writes the decoded
// bytes. Escapes are undone first. A string that is not base64 is read to its end,
// because it must still be a JSON string. An error is a mistake in the JSON, or comes
// from the reader or the writer. The reader's buffer has at most readBuffer bytes, and
// buffer has decodeBuffer.
func decode(in *bufio.Reader, out io.Writer, buffer []byte) (request.Mistake, error) {
	d := &decoder{text: textReader{in}, out: out, bytes: buffer}
	for {
		if err := d.groups(); err != nil {
			return request.Mistake{}, err
		}
		r, ended, err := d.text.next()
		if err != nil {
			return request.Mistake{}, err
		}
		if ended {
			return d.end(), nil
		}
		if err := d.add(r); err != nil {
			return request.Mistake{}, err
		}
	}
}

// groups decodes as many whole groups of four plain characters as are buffered: the
// fast path through nearly all of a file. It stops at anything else, such as padding,
// and leaves that to add.
func (d *decoder) groups() error {
	if d.n > 0 || d.ended || d.mistaken() {
		return nil
	}
	plain := d.plain()
	n, err := strict64.Decode(d.bytes, plain)
	if corrupt, ok := errors.AsType[base64.CorruptInputError](err); ok {
		plain = plain[:corrupt/4*4]
		n, err = strict64.Decode(d.bytes, plain)
	}
	if err != nil || n == 0 {
		return err
	}
	d.pass(plain)
	if _, err := d.text.in.Discard(len(plain)); err != nil {
		return err
	}
	_, err = d.out.Write(d.bytes[:n])
	return err
}

// pass counts characters.
func (d *decoder) pass(plain []byte) {
	d.at += len(plain)
	d.begins = append(d.begins, plain[:min(len(plain), len(dataURL)-len(d.begins))]...)
}

// plain returns the buffered bytes before the next escape, quote, padding or line
// break, cut to whole groups. It looks for escapes first: if they are frequent, the
// other searches are short.
func (d *decoder) plain() []byte {
	plain, _ := d.text.in.Peek(d.text.in.Buffered())
	for _, end := range []byte{'\\', '"', '=', '\n', '\r'} {
		if i := bytes.IndexByte(plain, end); i >= 0 {
			plain = plain[:i]
		}
	}
	return plain[:len(plain)/4*4]
}

// add decodes a single character.
func (d *decoder) add(r rune) error {
	if d.mistaken() {
		return nil
	}
	if d.judge(r); d.mistaken() {
		return nil
	}
	d.quad[d.n] = byte(r)
	d.pass(d.quad[d.n : d.n+1])
	if d.n++; d.n < len(d.quad) {
		return nil
	}
	d.n = 0
	n, err := strict64.Decode(d.bytes, d.quad[:])
	if d.ended = n < 3; err == nil {
		_, err = d.out.Write(d.bytes[:n])
		return err
	}
	d.mistake = request.Mistake{Is: request.WrongPadding, At: d.at - len(d.quad) + bytes.IndexByte(d.quad[:], '=')}
	return nil // a mistake of the caller, not an error
}

func (d *decoder) mistaken() bool { return d.mistake.Is != nil }

// judge checks whether a character may come next.
func (d *decoder) judge(r rune) {
	var is *fault.Error
	switch {
	case r == ':' && string(d.begins)+":" == dataURL && d.at < len(dataURL):
		is = request.DataURL
	case r == '-' || r == '_':
		is = request.Base64URL
	case r == ' ' || r == '\t' || r == '\n' || r == '\r':
		is = request.BrokenLines
	case r >= utf8.RuneSelf || !strings.ContainsRune(alphabet, r):
		is = request.OtherText
	case d.ended:
		is = request.WrongPadding
	}
	if is != nil {
		d.mistake = request.Mistake{Is: is, At: d.at}
	}
}

// alphabet is that of base64, with its padding.
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="

// end returns the mistake of the whole text.
func (d *decoder) end() request.Mistake {
	if d.n > 0 && !d.mistaken() {
		return request.Mistake{Is: request.WrongPadding, At: d.at}
	}
	return d.mistake
}
