package body

import "github.com/go-json-experiment/json/jsontext"

// place follows a JSON text and reports whether the string that begins next is
// attachments[…].data of the root object. It may be wrong about malformed text, because
// the parser refuses that.
type place struct {
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

func (p *place) beginString() {
	p.naming = !p.valued && (p.depth == 1 || p.depth == 3 && p.file)
	if p.naming {
		p.name = p.name[:0]
	}
}

func (p *place) inString(text []byte) {
	if p.naming { // one character too many is enough to see that it differs
		p.name = append(p.name, text[:min(len(text), longestName+1-len(p.name))]...)
	}
}

func (p *place) endString() { p.naming, p.valued = false, false }

// named reports whether the last name equals name, with escapes undone.
func (p *place) named(name string) bool {
	quoted := append(append([]byte{'"'}, p.name...), '"')
	unquoted, err := jsontext.AppendUnquote(nil, quoted)
	return err == nil && string(unquoted) == name
}
