package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// parseSettings reads the entries of a file. Its errors quote no line, which may hold a secret.
func parseSettings(name string, text []byte) ([]entry, error) {
	file, err := parser.ParseBytes(text, 0)
	if fault, ok := errors.AsType[yaml.Error](err); ok {
		return nil, entry{file: name, line: lineOf(fault)}.fault("this is no YAML: %s", fault.GetMessage())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: this is no YAML", name)
	}
	var all []entry
	for _, document := range file.Docs {
		entries, err := entriesOf(name, "", document.Body)
		if err != nil {
			return nil, err
		}
		all = append(all, entries...)
	}
	return all, nil
}

func lineOf(fault yaml.Error) int {
	if token := fault.GetToken(); token != nil && token.Position != nil {
		return token.Position.Line
	}
	return 1
}

// entriesOf returns the entries of a mapping: of the file, or of one command in it.
func entriesOf(file, command string, node ast.Node) (all []entry, err error) {
	switch node := node.(type) {
	case nil, *ast.CommentGroupNode:
		return nil, nil
	case *ast.MappingNode:
		for _, pair := range node.Values {
			entries, err := entriesAt(file, command, pair)
			if err != nil {
				return nil, err
			}
			all = append(all, entries...)
		}
		return all, nil
	}
	return nil, entry{file: file, line: node.GetToken().Position.Line}.fault("write flags, each as its name, a colon and its value")
}

func entriesAt(file, command string, pair *ast.MappingValueNode) ([]entry, error) {
	token := pair.Key.GetToken()
	e := entry{file: file, line: token.Position.Line, command: command, key: token.Value}
	if below, ok := pair.Value.(*ast.MappingNode); ok && command == "" {
		return entriesOf(file, e.key, below)
	}
	var ok bool
	if e.values, ok = valuesAt(pair.Value); !ok {
		return nil, e.fault("%s needs a value, or a list of values", e.key)
	}
	_, e.list = pair.Value.(*ast.SequenceNode)
	return []entry{e}, nil
}

// valuesAt returns a plain value, or those of a list, as they are written.
func valuesAt(node ast.Node) (values []string, ok bool) {
	switch node := node.(type) {
	case *ast.StringNode:
		return []string{node.Value}, true
	case *ast.LiteralNode:
		return []string{strings.TrimSuffix(node.Value.Value, "\n")}, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return []string{node.GetToken().Value}, true
	case *ast.SequenceNode:
		for _, item := range node.Values {
			value, ok := valuesAt(item)
			if !ok || len(value) != 1 {
				return nil, false
			}
			values = append(values, value...)
		}
		return values, len(values) > 0
	}
	return nil, false
}
