package apply

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"frontdesk/domain/fault"
)

// Fault is an error in a document, with its place. It wraps nothing: a wrapped refusal would
// be printed without its place.
type Fault struct {
	File         string
	Line, Column int    // from 1
	Path         string // like "staff[2].roles"; "" for the document
	Err          error
}

// Error is one line, with the place as editors and compilers write it.
func (f *Fault) Error() string {
	text := f.Err.Error()
	if refusal, ok := errors.AsType[*fault.Error](f.Err); ok {
		text = refusal.Detail + " (" + refusal.Code + ")"
	}
	if f.Path != "" {
		text = f.Path + ": " + text
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, text)
}

// faultAt returns a fault about a path in the document, whether it exists or is missing.
func (d *document) faultAt(path string, err error) *Fault {
	f := &Fault{File: d.file, Line: d.line, Column: 1, Path: path, Err: err}
	if d.root == nil {
		return f
	}
	for at := path; at != ""; at = parent(at) {
		if line, column, ok := d.find(at); ok {
			f.Line, f.Column = d.line+line-1, column
			return f
		}
	}
	f.Line = d.line + d.root.GetToken().Position.Line - 1
	return f
}

// find returns the place of a path in the document.
func (d *document) find(path string) (line, column int, ok bool) {
	at, err := yaml.PathString("$." + path)
	if err != nil {
		return 0, 0, false
	}
	node, err := at.FilterNode(d.root)
	if err != nil || node == nil || node.GetToken() == nil {
		return 0, 0, false
	}
	position := node.GetToken().Position
	return position.Line, position.Column, true
}

// parent is the path of the enclosing value: "staff[2]" of "staff[2].roles".
func parent(path string) string {
	return path[:max(0, strings.LastIndexAny(path, ".["))]
}

// unreadable returns the fault of a text that is no YAML, or not of the right form.
func (d *document) unreadable(err error) *Fault {
	f := &Fault{File: d.file, Line: d.line, Column: 1, Err: err}
	if placed, ok := errors.AsType[yaml.Error](err); ok {
		f.Err = wrong(explained(placed))
		if token := placed.GetToken(); token != nil {
			f.Line, f.Column = d.line+token.Position.Line-1, token.Position.Column
		}
	}
	return f
}

// explained describes an error in the form of a document, without the names of our types.
func explained(err yaml.Error) string {
	if mistyped, ok := errors.AsType[*yaml.TypeError](err); ok {
		return "this must be " + cmp.Or(forms[mistyped.DstType.Kind()], "another kind of value")
	}
	if unexpected, ok := errors.AsType[*yaml.UnexpectedNodeTypeError](err); ok {
		return "this must be " + cmp.Or(nodes[unexpected.Expected], "another kind of value")
	}
	return err.GetMessage()
}

// Plain names for the kinds of values in documents.
const (
	aText    = "a text"
	aList    = "a list, each of whose items begins with -"
	aMapping = "a mapping, with lines like name: value"
)

var (
	forms = map[reflect.Kind]string{reflect.String: aText, reflect.Bool: "true or false", reflect.Slice: aList, reflect.Struct: aMapping}
	nodes = map[ast.NodeType]string{ast.StringType: aText, ast.SequenceType: aList, ast.MappingType: aMapping}
)
