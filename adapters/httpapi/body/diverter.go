package body

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/adapters/jsonerr"
	"frontdesk/domain/request"
)

// diverter takes the files out of a body before they reach the JSON parser, which holds
// each string as a whole. It decodes the string at attachments[…].data and passes it on
// as it arrives, and puts a short marker in its place. Everything else passes
// unchanged, so the result is well-formed if the body is.
//
// A caller cannot forge a marker, because every string at that place is replaced and
// markers are random.
type diverter struct {
	body    counted
	narrow  *bufio.Reader // of the body; nil before its first byte has arrived
	in      *bufio.Reader // narrow, or a larger reader over it once there is a file
	out     []byte        // passed on, not yet read
	err     error         // returned once out is read
	tracker tracker
	texts   texts

	passed int64 // bytes passed on, including markers
	gaps   []gap // one for each file

	open   func() (file, error) // the next file
	buffer []byte               // for decoding a file; allocated for the first one
	mark   string               // the beginning of the markers of this body
	found  map[string]request.Content
}

// counted is a body that counts its bytes as they arrive.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// gap is a position at which a marker replaces a file.
type gap struct {
	after int64 // bytes passed on up to the end of the marker
	shift int64 // how many more bytes of the body had arrived there
}

// file receives the decoded bytes of one file.
type file interface {
	io.Writer
	// finish ends the file. The mistake is why it was not base64; zero if it was.
	finish(mistake request.Mistake) (request.Content, error)
}

// readers pools the readers of files, because most files are small.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readBuffer) }}

// newDiverter takes the files out of a body. The caller closes it.
func newDiverter(body io.Reader, open func() (file, error)) *diverter {
	return &diverter{body: counted{Reader: body}, open: open, mark: rand.Text(), found: map[string]request.Content{}}
}

// begin waits for the first byte of the body, because a body that never comes must
// not cost a buffer.
func (d *diverter) begin() error {
	if d.in != nil {
		return nil
	}
	first := make([]byte, 1)
	n, err := io.ReadFull(&d.body, first)
	if err != nil {
		return err
	}
	d.narrow = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(first[:n]), &d.body), jsonBuffer)
	d.in = d.narrow
	return nil
}

// position returns how many bytes of the body have been consumed.
func (d *diverter) position() int64 {
	waiting := d.narrow.Buffered()
	if d.in != d.narrow {
		waiting += d.in.Buffered()
	}
	return d.body.n - int64(waiting)
}

// arrived returns the offset in the body of an offset in the output.
func (d *diverter) arrived(offset int64) int64 {
	for _, gap := range slices.Backward(d.gaps) {
		if gap.after <= offset {
			return offset + gap.shift
		}
	}
	return offset
}

// widen allocates the buffers for files.
func (d *diverter) widen() {
	if d.buffer != nil {
		return
	}
	d.buffer = make([]byte, decodeBuffer)
	wide := readers.Get().(*bufio.Reader)
	wide.Reset(d.in)
	d.in = wide
}

func (d *diverter) close() {
	if d.buffer != nil {
		d.in.Reset(nil)
		readers.Put(d.in)
	}
}

// Read reads the body without its files. An error is a refusal, or comes from a file or
// the reader.
func (d *diverter) Read(p []byte) (int, error) {
	for len(d.out) == 0 && d.err == nil {
		d.out, d.err = d.advance(d.out[:0], len(p))
		d.passed += int64(len(d.out))
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	if n > 0 || len(p) == 0 {
		return n, nil
	}
	return 0, d.err
}

// advance appends at most n of the buffered bytes to out. It stops after the next
// file.
func (d *diverter) advance(out []byte, n int) ([]byte, error) {
	if err := d.begin(); err != nil {
		return out, err
	}
	if _, err := d.in.Peek(1); err != nil {
		return out, err
	}
	arrived, err := d.in.Peek(min(n, d.in.Buffered()))
	if err != nil {
		return out, err
	}
	passed := d.untilFile(arrived)
	out = append(out, arrived[:passed]...)
	if passed == len(arrived) {
		_, err = d.in.Discard(passed)
		return out, err
	}
	if _, err = d.in.Discard(passed + len(`"`)); err != nil {
		return out, err
	}
	return d.divert(out)
}

// untilFile processes the text up to the opening quote of a file, and returns its
// length.
func (d *diverter) untilFile(text []byte) (passed int) {
	for passed < len(text) {
		if text[passed] == '"' && !d.texts.inside && d.tracker.isData() {
			break
		}
		passed += d.follow(text[passed:])
	}
	return passed
}

// divert passes a string on as a file and appends a marker to out.
func (d *diverter) divert(out []byte) ([]byte, error) {
	file, err := d.open()
	if err != nil {
		return out, err
	}
	d.widen()
	mistake, err := decode(d.in, file, d.buffer)
	if err != nil {
		return out, d.malformed(err)
	}
	content, err := file.finish(mistake)
	if err != nil {
		return out, err
	}
	marker := d.mark + strconv.Itoa(len(d.found))
	d.found[marker] = content
	d.tracker.endString()
	out = strconv.AppendQuote(out, marker)
	after := d.passed + int64(len(out))
	d.gaps = append(d.gaps, gap{after, d.position() - after})
	return out, nil
}

// malformed refuses a file that is not a JSON string. It returns any other error
// unchanged.
func (d *diverter) malformed(err error) error {
	if kind, ok := errors.AsType[textMistake](err); ok {
		return errMalformed.Filled(jsonerr.Place(d.position()-1) + ", " + string(kind)) // the last byte was one too many
	}
	return err
}

// follow updates the tracker with a run of plain characters in a string, or with one
// character, and returns its length.
func (d *diverter) follow(text []byte) int {
	if n := d.texts.run(text); n > 0 {
		d.tracker.inString(text[:n])
		return n
	}
	inside := d.texts.inside
	d.texts.follow(text[0])
	switch {
	case inside && d.texts.inside:
		d.tracker.inString(text[:1])
	case inside:
		d.tracker.endString()
	case d.texts.inside:
		d.tracker.beginString()
	default:
		d.tracker.structural(text[0])
	}
	return 1
}

// tracker follows a JSON text and reports whether the string that begins next is
// attachments[…].data of the root object. It may be wrong about malformed text, because
// the parser refuses that.
type tracker struct {
	depth  int
	valued bool   // the last structural character was a colon, so a value comes next
	files  bool   // inside root.attachments
	file   bool   // inside an object of root.attachments
	naming bool   // inside a name that may be relevant
	name   []byte // the last name that may be relevant, as written between its quotes
}

// longestName is "attachments" with every character escaped as \u….
const longestName = 6 * len("attachments")

// structural takes the next character outside strings. The characters of a string
// go to beginString, inString and endString.
func (t *tracker) structural(c byte) {
	switch c {
	case '{', '[':
		t.open(c)
	case '}', ']':
		t.close()
	case ',', ':':
		t.valued = c == ':'
	}
}

func (t *tracker) open(c byte) {
	switch t.depth {
	case 1:
		t.files = c == '[' && t.valued && t.named("attachments")
	case 2:
		t.file = c == '{' && t.files
	}
	t.depth++
	t.valued = false
}

func (t *tracker) close() {
	t.depth--
	t.files = t.files && t.depth > 1
	t.file = t.file && t.depth > 2
	t.valued = false
}

// isData reports whether a string that begins here is a file.
func (t *tracker) isData() bool {
	return t.depth == 3 && t.file && t.valued && t.named("data")
}

func (t *tracker) beginString() {
	t.naming = !t.valued && (t.depth == 1 || t.depth == 3 && t.file)
	if t.naming {
		t.name = t.name[:0]
	}
}

func (t *tracker) inString(text []byte) {
	if t.naming { // one character too many is enough to see that it differs
		t.name = append(t.name, text[:min(len(text), longestName+1-len(t.name))]...)
	}
}

func (t *tracker) endString() { t.naming, t.valued = false, false }

// named reports whether the last name equals name, with escapes undone.
func (t *tracker) named(name string) bool {
	quoted := append(append([]byte{'"'}, t.name...), '"')
	unquoted, err := jsontext.AppendUnquote(nil, quoted)
	return err == nil && string(unquoted) == name
}
