package apply

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// The limits of input. A document's tree takes some hundred times its text.
const (
	mostBytes    = 64 << 20 // of all files: about 20,000 practices
	longestBytes = 1 << 20  // of one document
)

var errTooMuch = fmt.Errorf("the files have more than %d MiB: apply them in parts", mostBytes>>20)

// Files are the texts that were read, so that each pass over the documents sees the same.
type Files struct {
	files []file
	size  int64
}

type file struct {
	name string
	text []byte
}

// Add reads a file.
func (f *Files) Add(name string, from io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(from, mostBytes-f.size+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if f.size += int64(len(text)); f.size > mostBytes {
		return errTooMuch
	}
	f.files = append(f.files, file{name, text})
	return nil
}

// piece is the text of one document, and its place.
type piece struct {
	file string
	line int // of its first line, from 1
	text []byte

	kind    string // once it has been read; "" for one that holds nothing
	changes bool   // once it has been checked: it would change something
}

// pieces cuts the files at lines that begin with "---", which no text of YAML can.
func (f *Files) pieces() (all []piece) {
	for _, file := range f.files {
		all = append(all, file.pieces()...)
	}
	return all
}

func (f file) pieces() (all []piece) {
	begun, first := 0, 1
	line, offset := 0, 0
	for text := range bytes.Lines(f.text) {
		if line++; isSeparator(text) {
			all = append(all, piece{file: f.name, line: first, text: f.text[begun:offset]})
			begun, first = offset+len("---"), line
		}
		offset += len(text)
	}
	return append(all, piece{file: f.name, line: first, text: f.text[begun:]})
}

func isSeparator(line []byte) bool {
	rest, is := bytes.CutPrefix(line, []byte("---"))
	return is && (len(rest) == 0 || strings.IndexByte(" \t\r\n", rest[0]) >= 0)
}

// document is a piece that was understood.
type document struct {
	piece
	root        ast.Node
	practice    *Practice    // nil if it declares an application
	application *Application // nil if it declares a practice
}

// parsePiece reads a document. It returns nil for one that holds nothing but comments.
func parsePiece(p piece) (*document, error) {
	d := &document{piece: p}
	if len(p.text) > longestBytes {
		return nil, d.faultAt("", fmt.Errorf("a document must not be longer than %d KiB", longestBytes>>10))
	}
	tree, err := parser.ParseBytes(p.text, 0)
	if err != nil {
		return nil, d.unreadable(err)
	}
	if len(tree.Docs) == 0 || tree.Docs[0].Body == nil || tree.Docs[0].Body.Type() == ast.CommentType {
		return nil, nil
	}
	d.root = tree.Docs[0].Body
	if strange := strangeIn(d.root); strange != nil {
		return nil, d.faultAt(strings.TrimPrefix(strange.GetPath(), "$."), errUnprintable)
	}
	if err := d.decode(); err != nil {
		return nil, err
	}
	return d, nil
}

var errUnprintable = wrong("there is a character in this text that cannot be printed")

// strangeIn returns a text with characters that occur in no name, address or hour.
func strangeIn(root ast.Node) (found ast.Node) {
	for _, node := range ast.Filter(ast.StringType, root) {
		text := node.(*ast.StringNode).Value
		if found == nil && strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
			found = node
		}
	}
	return found
}

var errKind = errors.New("a document begins with kind: practice or kind: application")

func (d *document) decode() error {
	var what struct {
		Kind string `yaml:"kind"`
	}
	if err := yaml.NodeToValue(d.root, &what); err != nil {
		return d.unreadable(err)
	}
	var into any
	switch what.Kind {
	case KindPractice:
		d.practice = &Practice{}
		into = d.practice
	case KindApplication:
		d.application = &Application{}
		into = d.application
	default:
		return d.faultAt("kind", errKind)
	}
	if err := yaml.NodeToValue(d.root, into, yaml.Strict()); err != nil {
		return d.unreadable(err)
	}
	return nil
}

// declares returns the kind of the document.
func (d *document) declares() string {
	if d.practice != nil {
		return KindPractice
	}
	return KindApplication
}

// name describes the subject of the document.
func (d *document) name() string {
	if d.practice != nil {
		return d.practice.Tenant
	}
	return d.application.Application
}
