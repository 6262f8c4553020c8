package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// document is the part of an OpenAPI description that the pages show.
type document struct {
	Info struct {
		Title, Summary, Description string
	}
	Servers  []struct{ URL string }
	Tags     []struct{ Name, Description string }
	Paths    map[string]map[string]operation
	Webhooks map[string]struct{ Post operation }

	Components struct {
		Schemas       map[string]schema
		RequestBodies map[string]body
		Responses     map[string]body
		Examples      map[string]struct{ Value json.RawMessage }
	}

	text []byte
}

type operation struct {
	OperationID, Summary, Description string

	Tags        []string
	Security    *[]json.RawMessage // nil inherits that of all operations; empty for none
	Parameters  []parameter
	RequestBody *body
	Responses   map[string]body
}

type parameter struct {
	Name, In, Description string
	Required              bool
	Example               any
}

// body is that of a request or an answer, or refers to it.
type body struct {
	Ref     string `json:"$ref"`
	Content map[string]struct {
		Example  json.RawMessage
		Examples map[string]struct {
			Summary string
			Value   json.RawMessage
		}
	}
}

type schema struct {
	Ref           string `json:"$ref"`
	Type          any    // a name, or several
	Description   string
	Format        string
	Required      []string
	Properties    map[string]schema
	Examples      []json.RawMessage
	Discriminator struct{ Mapping map[string]string } `json:"discriminator"`
}

func read(text []byte) (document, error) {
	d := document{text: text}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, fmt.Errorf("read the OpenAPI description: %w", err)
	}
	return d, nil
}

// inOrder are names as they follow each other in the description.
func inOrder[V any](d document, named map[string]V) []string {
	return slices.SortedFunc(maps.Keys(named), func(a, b string) int { return d.place(a) - d.place(b) })
}

func (d document) place(name string) int { return bytes.Index(d.text, []byte(`"`+name+`": {`)) }

func nameOf(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// schema follows a reference. A description next to the reference takes precedence.
func (d document) schema(s schema) schema {
	if s.Ref == "" {
		return s
	}
	found := d.Components.Schemas[nameOf(s.Ref)]
	if s.Description != "" {
		found.Description = s.Description
	}
	return found
}

// request is the body of an operation; ok is false if it takes none.
func (d document) request(o operation) (b body, ok bool) {
	switch {
	case o.RequestBody == nil:
		return b, false
	case o.RequestBody.Ref != "":
		return d.Components.RequestBodies[nameOf(o.RequestBody.Ref)], true
	}
	return *o.RequestBody, true
}

// typeOf describes the type of a value in words.
func typeOf(s schema) string {
	var names []string
	switch t := s.Type.(type) {
	case string:
		names = []string{t}
	case []any:
		for _, name := range t {
			names = append(names, fmt.Sprint(name))
		}
	}
	if s.Format != "" && len(names) > 0 {
		names[0] += " (" + s.Format + ")"
	}
	return strings.Join(names, " or ")
}

// indented is JSON as people read it.
func indented(text []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, text, "", "  ") != nil {
		return string(text)
	}
	return out.String()
}
