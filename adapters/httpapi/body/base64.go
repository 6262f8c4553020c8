package body

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"unicode/utf8"
)

// strict64 is padded base64 (RFC 4648, section 4). It would skip line breaks, so
// they must not get this far.
var strict64 = base64.StdEncoding.Strict()

// decoder decodes one JSON string of base64 while it arrives.
type decoder struct {
	text  textReader
	out   io.Writer
	quad  [4]byte // characters of a group that is not complete
	n     int     // how many
	ended bool    // by padding: nothing may come after it
	bad   bool    // it is not base64
	bytes []byte  // takes what is decoded
}

// decode reads a JSON string whose opening quote has been read, and writes the
// bytes that it decodes to. Escapes are undone first. A string that is not base64
// is read to its end, because it must still be a JSON string. An error is a
// refusal of the body, or comes from the reader or the writer. The reader's buffer
// has at most readBuffer bytes, and buffer has decodeBuffer.
func decode(in *bufio.Reader, out io.Writer, buffer []byte) (isBase64 bool, err error) {
	d := &decoder{text: textReader{in}, out: out, bytes: buffer}
	for {
		if err := d.groups(); err != nil {
			return false, err
		}
		r, ended, err := d.text.next()
		if err != nil {
			return false, err
		}
		if ended {
			return d.n == 0 && !d.bad, nil
		}
		if err := d.add(r); err != nil {
			return false, err
		}
	}
}

// groups decodes as many whole groups of four plain characters as are buffered,
// which is the fast way through nearly all of a file. It stops at anything else,
// such as padding, and leaves that to add.
func (d *decoder) groups() error {
	if d.n > 0 || d.ended || d.bad {
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
	if _, err := d.text.in.Discard(len(plain)); err != nil {
		return err
	}
	_, err = d.out.Write(d.bytes[:n])
	return err
}

// plain returns what is buffered before the next escape, quote, padding or line
// break, cut to whole groups. It looks for escapes first: if they are frequent,
// the other searches are short.
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
	d.bad = d.bad || d.ended || r >= utf8.RuneSelf
	if d.bad {
		return nil
	}
	d.quad[d.n] = byte(r)
	if d.n++; d.n < len(d.quad) {
		return nil
	}
	d.n = 0
	n, err := strict64.Decode(d.bytes, d.quad[:])
	d.ended, d.bad = n < 3, err != nil
	if d.bad {
		return nil
	}
	_, err = d.out.Write(d.bytes[:n])
	return err
}
