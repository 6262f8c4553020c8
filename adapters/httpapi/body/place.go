package body

import "github.com/go-json-experiment/json/jsontext"

// place follows a JSON text from a distance: it knows whether the string that
// begins next is attachments[…].data of the root object. What it thinks of a
// text that is not well-formed does not matter: the parser refuses that.
type place struct {
	depth  int
	valued bool   // the last structural character was a colon: a value follows
	files  bool   // inside root.attachments
	file   bool   // inside an object of it
	naming bool   // inside a name that may matter
	name   []byte // the last such name, as it is written between its quotes
}

// longestName is "attachments" with every character escaped as \u….
const longestName = 6 * len("attachments")

// structural moves on by a character outside strings.
func (p *place) structural(c byte) {
	switch c {
	case '{', '[':
		p.open(c)
	case '}', ']':
		p.close()
	case ',', ':':
		p.valued = c == ':'
	}
}

func (p *place) open(c byte) {
	switch p.depth {
	case 1:
		p.files = c == '[' && p.valued && p.named("attachments")
	case 2:
		p.file = c == '{' && p.files
	}
	p.depth++
	p.valued = false
}

func (p *place) close() {
	p.depth--
	p.files = p.files && p.depth > 1
	p.file = p.file && p.depth > 2
	p.valued = false
}

// isData reports whether a string that begins here is a file.
func (p *place) isData() bool {
	return p.depth == 3 && p.file && p.valued && p.named("data")
}

// The characters of a string go to these three.
func (p *place) beginString() {
	p.naming = !p.valued && (p.depth == 1 || p.depth == 3 && p.file)
	if p.naming {
		p.name = p.name[:0]
	}
}

func (p *place) inString(c byte) {
	if p.naming && len(p.name) <= longestName { // one more than the longest is enough to be another
		p.name = append(p.name, c)
	}
}

func (p *place) endString() { p.naming, p.valued = false, false }

// named compares the last name with one that is written without escapes.
func (p *place) named(name string) bool {
	quoted := append(append([]byte{'"'}, p.name...), '"')
	unquoted, err := jsontext.AppendUnquote(nil, quoted)
	return err == nil && string(unquoted) == name
}
