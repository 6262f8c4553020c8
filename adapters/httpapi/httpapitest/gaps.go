package httpapitest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Gaps lists the omissions and errors of the description, one line each with the place
// and the text to add. Each property needs a description. Each parameter, header, body,
// answer and webhook needs an example that its own schema accepts. Each error code
// needs a description and an example.
func (c *Contract) Gaps() []string {
	g := &gaps{c: c}
	g.properties(c.document)
	g.operations()
	g.schemas()
	g.codes()
	g.webhooks()
	return g.found
}

type gaps struct {
	c     *Contract
	found []string
}

func (g *gaps) add(place []string, format string, values ...any) {
	g.found = append(g.found, strings.Join(place, " › ")+" "+fmt.Sprintf(format, values...))
}

// names returns the members of the object at a place, in order; none if there is no
// object.
func (g *gaps) names(place ...string) []string {
	object, _ := at(g.c.document, place...).(map[string]any)
	return slices.Sorted(maps.Keys(object))
}

// under returns a place below another, after following a reference there.
func (g *gaps) under(place []string, names ...string) []string {
	return g.c.follow(slices.Concat(place, names))
}

// properties checks each whole object: a schema that only narrows another has no type.
func (g *gaps) properties(tree any, place ...string) {
	switch tree := tree.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(tree)) {
			g.properties(tree[name], append(slices.Clone(place), name)...)
		}
		properties, _ := tree["properties"].(map[string]any)
		if tree["type"] != "object" {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if g.description(properties[name]) == "" {
				g.add(place, `leaves %s undescribed: give it a "description"`, name)
			}
		}
	case []any:
		for i, child := range tree {
			g.properties(child, append(slices.Clone(place), fmt.Sprint(i))...)
		}
	}
}

// description returns a schema's own description or, without one, that of the schema it
// refers to.
func (g *gaps) description(schema any) string {
	if own, has := at(schema, "description").(string); has {
		return own
	}
	reference, refers := at(schema, "$ref").(string)
	if !refers {
		return ""
	}
	return g.description(at(g.c.document, strings.Split(strings.TrimPrefix(reference, "#/"), "/")...))
}

func (g *gaps) operations() {
	for _, path := range g.names("paths") {
		for _, method := range g.names("paths", path) {
			operation := []string{"paths", path, method}
			parameters, _ := at(g.c.document, append(operation, "parameters")...).([]any)
			for _, parameter := range parameters {
				g.parameter(operation, parameter)
			}
			if body := g.under(operation, "requestBody"); at(g.c.document, body...) != nil {
				g.contents(body, g.c.bodies)
			}
			for _, status := range g.names(append(operation, "responses")...) {
				g.answer(g.under(operation, "responses", status), status)
			}
		}
	}
}

func (g *gaps) parameter(operation []string, parameter any) {
	if reference, refers := at(parameter, "$ref").(string); refers {
		parameter = at(g.c.document, strings.Split(strings.TrimPrefix(reference, "#/"), "/")...)
	}
	name := fmt.Sprint(at(parameter, "name"))
	if at(parameter, "description") == nil {
		g.add(operation, `leaves the parameter %s undescribed: give it a "description"`, name)
	}
	if at(parameter, "example") == nil {
		g.add(operation, `has no example of the parameter %s: give it an "example"`, name)
	}
}

// contents checks the examples of a body or an answer in each of its media types.
func (g *gaps) contents(place []string, s *schemas) {
	for _, media := range g.names(append(place, "content")...) {
		content := slices.Concat(place, []string{"content", media})
		examples := g.examples(content)
		if len(examples) == 0 {
			g.add(content, `has no example: write "example" (or "examples") beside "schema"`)
		}
		for name, value := range examples {
			if err := s.checkValue(append(content, "schema"), value); err != nil {
				g.add(content, "refuses its own example %s: %v", name, err)
			}
		}
	}
}

// examples returns those of a media type by name. A single one may be unnamed.
func (g *gaps) examples(content []string) map[string]any {
	all := map[string]any{}
	if only := at(g.c.document, append(content, "example")...); only != nil {
		all[""] = only
	}
	for _, name := range g.names(append(content, "examples")...) {
		all[name] = at(g.c.document, append(g.under(content, "examples", name), "value")...)
	}
	return all
}

func (g *gaps) answer(place []string, status string) {
	g.contents(place, g.c.answers)
	for _, name := range g.names(append(place, "headers")...) {
		g.header(g.under(place, "headers", name))
	}
	if status < "400" {
		return
	}
	for _, media := range g.names(append(place, "content")...) {
		g.refusal(slices.Concat(place, []string{"content", media}), status)
	}
}

func (g *gaps) header(place []string) {
	example := at(g.c.document, append(place, "example")...)
	if at(g.c.document, append(place, "description")...) == nil {
		g.add(place, `has no "description"`)
	}
	if example == nil {
		g.add(place, `has no "example"`)
		return
	}
	if err := g.c.answers.checkValue(append(place, "schema"), example); err != nil {
		g.add(place, "refuses its own example: %v", err)
	}
}

// schemas checks the examples in schemas.
func (g *gaps) schemas() {
	for _, name := range g.names("components", "schemas") {
		place := []string{"components", "schemas", name}
		examples, _ := at(g.c.document, append(place, "examples")...).([]any)
		for _, example := range examples {
			if err := g.c.answers.checkValue(place, example); err != nil {
				g.add(place, "refuses its own example: %v", err)
			}
		}
	}
}
