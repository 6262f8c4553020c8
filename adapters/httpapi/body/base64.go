package body

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"unicode/utf8"
)

// strict64 is RFC 4648 §4, padded. Line breaks, which it would skip, do not
// get as far (D21).
var strict64 = base64.StdEncoding.Strict()

// decoder decodes one JSON string of base64 while it arrives.
type decoder struct {
	text  textReader
	out   io.Writer
	quad  [4]byte // characters of a group that is not complete
	n     int     // how many
	ended bool    // by padding: nothing may follow
	bad   bool    // it is not base64
	bytes []byte  // room for what is decoded
}

// decode reads a JSON string, its opening quote aside, and writes what it
// decodes to. Escapes are undone first (D21). What is not base64 is read to
// the end all the same, and judged as the text that it is: an error is a
// refusal of the body, or the reader's or writer's own. The reader's buffer has
// at most readBuffer bytes, and the one for decoding has decodeBuffer.
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

// groups decodes whole groups of four plain characters, as many as are at
// hand: the fast way through nearly everything. It stops where something else
// comes, padding included, and leaves that to add.
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

// plain is what is at hand before the next escape, quote, padding or line
// break, cut to whole groups. Escapes come first: where they are frequent, the
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

// add takes a single character.
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
